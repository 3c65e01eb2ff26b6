import type { Api } from '@berth/accounts';
import { auditSource, defineRoute } from '@berth/accounts';
import { messageSchema, volumeRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

const route = defineRoute('POST /v1/volume/restore', {
  scope: 'volumes',
  errors: ['not_found', 'conflict'],
  operationId: 'restoreVolume',
  tags: ['Volumes'],
  summary: 'Bring back the volume of that name that was deleted last',
  request: { body: jsonBody(volumeRequestSchema) },
  responses: { 200: jsonResponse(messageSchema, 'It is back, with all its objects') },
});

/** Registers `POST /v1/volume/restore`. */
export function registerRestoreVolume(api: Api, { volumes }: VolumeRouteDeps): void {
  api.openapi(route, async (c) => {
    const { name } = c.req.valid('json');
    await volumes.restore(c.get('principal').accountId, name, auditSource(c));
    return c.json({ detail: `The volume "${name}" is restored.` }, 200);
  });
}
