import { auditSource, defineOperation } from '@berth/accounts';
import { messageSchema, volumeRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `POST /v1/volume/restore`. */
export const registerRestoreVolume = defineOperation(
  'POST /v1/volume/restore',
  {
    scope: 'volumes',
    errors: ['not_found', 'conflict'],
    operationId: 'restoreVolume',
    tags: ['Volumes'],
    summary: 'Restore the last deleted volume with this name',
    request: { body: jsonBody(volumeRequestSchema) },
    responses: { 200: jsonResponse(messageSchema, 'The volume is restored with all its objects') },
  },
  async (c, { volumes }: VolumeRouteDeps) => {
    const { name } = c.req.valid('json');
    await volumes.restore(c.get('principal').accountId, name, auditSource(c));
    return c.json({ detail: `The volume "${name}" is restored.` }, 200);
  },
);
