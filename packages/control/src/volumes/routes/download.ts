import { defineOperation } from '@berth/accounts';
import { downloadRequestSchema, objectPathOf, signedUrlSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `POST /v1/volume/download`. */
export const registerDownload = defineOperation(
  'POST /v1/volume/download',
  {
    scope: 'volumes',
    errors: ['not_found'],
    operationId: 'downloadObject',
    tags: ['Volumes'],
    summary: 'Create a signed URL to download an object',
    request: { body: jsonBody(downloadRequestSchema) },
    responses: { 200: jsonResponse(signedUrlSchema, 'The URL; supports GET and HEAD, ranges and conditions') },
  },
  async (c, { volumes, urls }: VolumeRouteDeps) => {
    const request = c.req.valid('json');
    const { accountId } = c.get('principal');
    const { place, object } = await volumes.getObject(accountId, request.volume, objectPathOf(request));
    return c.json(await urls.download(place, object.path), 200);
  },
);
