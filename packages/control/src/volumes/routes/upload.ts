import { auditSource, defineOperation } from '@berth/accounts';
import { objectPathOf, signedUrlSchema, uploadRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `POST /v1/volume/upload`. */
export const registerUpload = defineOperation(
  'POST /v1/volume/upload',
  {
    scope: 'volumes',
    errors: ['not_found', 'not_available'],
    operationId: 'uploadObject',
    tags: ['Volumes'],
    summary: 'Create a signed URL to upload an object',
    request: { body: jsonBody(uploadRequestSchema) },
    responses: { 200: jsonResponse(signedUrlSchema, 'The URL; the last upload to finish for a path wins') },
  },
  async (c, { volumes, urls }: VolumeRouteDeps) => {
    const request = c.req.valid('json');
    const place = await volumes.placeForUpload(c.get('principal').accountId, request.volume);
    const path = objectPathOf(request);
    const url = request.resumable ? urls.resumableUpload(place, path) : await urls.upload(place, path);
    await volumes.recordUpload(request.volume, path, auditSource(c));
    return c.json(url, 200);
  },
);
