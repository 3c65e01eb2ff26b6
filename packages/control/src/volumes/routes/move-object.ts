import { auditSource, defineOperation } from '@berth/accounts';
import { movedObjectSchema, moveObjectRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `POST /v1/volume/move-object`. */
export const registerMoveObject = defineOperation(
  'POST /v1/volume/move-object',
  {
    scope: 'volumes',
    errors: ['not_found', 'conflict'],
    operationId: 'moveObject',
    tags: ['Volumes'],
    summary: 'Move an object or a folder of a volume',
    request: { body: jsonBody(moveObjectRequestSchema) },
    responses: { 200: jsonResponse(movedObjectSchema, 'The object or folder is moved, unless `complete` is false') },
  },
  async (c, { volumes }: VolumeRouteDeps) => {
    const request = c.req.valid('json');
    const complete = await volumes.move(c.get('principal').accountId, request, auditSource(c));
    const { volume, from, to } = request;
    const detail = complete
      ? `"${from}" of the volume "${volume}" is now "${to}".`
      : `"${from}" of the volume "${volume}" is partly moved. Send the same request again.`;
    return c.json({ detail, complete }, 200);
  },
);
