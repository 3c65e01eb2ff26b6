import type { Api } from '@berth/accounts';
import { auditSource, defineRoute } from '@berth/accounts';
import { deleteObjectRequestSchema, messageSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

const route = defineRoute('POST /v1/volume/delete-object', {
  scope: 'volumes',
  errors: ['not_found'],
  operationId: 'deleteObject',
  tags: ['Volumes'],
  summary: 'Delete an object',
  request: { body: jsonBody(deleteObjectRequestSchema) },
  responses: { 200: jsonResponse(messageSchema, 'It is deleted, for good') },
});

/** Registers `POST /v1/volume/delete-object`. */
export function registerDeleteObject(api: Api, { volumes }: VolumeRouteDeps): void {
  api.openapi(route, async (c) => {
    const { volume, path } = c.req.valid('json');
    await volumes.deleteObject(c.get('principal').accountId, volume, path, auditSource(c));
    return c.json({ detail: `"${path}" is deleted from the volume "${volume}".` }, 200);
  });
}
