import { defineOperation } from '@berth/accounts';
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
    summary: 'A URL to which the bytes of an object are sent, without a credential',
    request: { body: jsonBody(uploadRequestSchema) },
    responses: { 200: jsonResponse(signedUrlSchema, 'Where to send them; the last upload of a path that ends wins') },
  },
  async (c, { volumes, urls }: VolumeRouteDeps) => {
    const request = c.req.valid('json');
    const place = await volumes.placeForUpload(c.get('principal').accountId, request.volume);
    const path = objectPathOf(request);
    return c.json(request.resumable ? urls.resumableUpload(place, path) : await urls.upload(place, path), 200);
  },
);
