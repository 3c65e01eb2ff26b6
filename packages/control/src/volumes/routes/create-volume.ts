import type { Api } from '@berth/accounts';
import { auditSource, defineRoute } from '@berth/accounts';
import { createdVolumeSchema, createVolumeRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

const route = defineRoute('POST /v1/volume/create', {
  scope: 'volumes',
  operationId: 'createVolume',
  tags: ['Volumes'],
  summary: 'Make a volume, or find that it is there',
  request: { body: jsonBody(createVolumeRequestSchema) },
  responses: { 200: jsonResponse(createdVolumeSchema, '`created` is false when the account had it') },
});

/** Registers `POST /v1/volume/create`. */
export function registerCreateVolume(api: Api, { volumes }: VolumeRouteDeps): void {
  api.openapi(route, async (c) => {
    const { name } = c.req.valid('json');
    const created = await volumes.create(c.get('principal').accountId, name, auditSource(c));
    return c.json({ name, created }, 200);
  });
}
