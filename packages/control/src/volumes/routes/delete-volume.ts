import { auditSource, defineOperation } from '@berth/accounts';
import { messageSchema, volumeRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `POST /v1/volume/delete`. */
export const registerDeleteVolume = defineOperation(
  'POST /v1/volume/delete',
  {
    scope: 'volumes',
    errors: ['not_found', 'conflict'],
    operationId: 'deleteVolume',
    tags: ['Volumes'],
    summary: 'Delete a volume that no deployment mounts; it can be restored for 7 days',
    request: { body: jsonBody(volumeRequestSchema) },
    responses: { 200: jsonResponse(messageSchema, 'It is deleted') },
  },
  async (c, { volumes }: VolumeRouteDeps) => {
    const { name } = c.req.valid('json');
    await volumes.delete(c.get('principal').accountId, name, auditSource(c));
    return c.json({ detail: `The volume "${name}" is deleted. It can be restored for 7 days.` }, 200);
  },
);
