import { auditSource, defineOperation } from '@berth/accounts';
import { deleteObjectRequestSchema, messageSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `POST /v1/volume/delete-object`. */
export const registerDeleteObject = defineOperation(
  'POST /v1/volume/delete-object',
  {
    scope: 'volumes',
    errors: ['not_found'],
    operationId: 'deleteObject',
    tags: ['Volumes'],
    summary: 'Delete an object',
    request: { body: jsonBody(deleteObjectRequestSchema) },
    responses: { 200: jsonResponse(messageSchema, 'The object is permanently deleted') },
  },
  async (c, { volumes }: VolumeRouteDeps) => {
    const { volume, path } = c.req.valid('json');
    await volumes.deleteObject(c.get('principal').accountId, volume, path, auditSource(c));
    return c.json({ detail: `"${path}" is deleted from the volume "${volume}".` }, 200);
  },
);
