import type { Api } from '@berth/accounts';
import { defineRoute } from '@berth/accounts';
import { downloadRequestSchema, objectPathOf, signedUrlSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

const route = defineRoute('POST /v1/volume/download', {
  scope: 'volumes',
  errors: ['not_found'],
  operationId: 'downloadObject',
  tags: ['Volumes'],
  summary: 'A URL from which the bytes of an object are had, without a credential',
  request: { body: jsonBody(downloadRequestSchema) },
  responses: { 200: jsonResponse(signedUrlSchema, 'Where they are; takes GET and HEAD, ranges and conditions') },
});

/** Registers `POST /v1/volume/download`. */
export function registerDownload(api: Api, { volumes, urls }: VolumeRouteDeps): void {
  api.openapi(route, async (c) => {
    const request = c.req.valid('json');
    const { accountId } = c.get('principal');
    const { place, object } = await volumes.getObject(accountId, request.volume, objectPathOf(request));
    return c.json(await urls.download(place, object.path), 200);
  });
}
