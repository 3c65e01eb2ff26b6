import { auditSource, defineOperation } from '@berth/accounts';
import { createdVolumeSchema, createVolumeRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `POST /v1/volume/create`. */
export const registerCreateVolume = defineOperation(
  'POST /v1/volume/create',
  {
    scope: 'volumes',
    operationId: 'createVolume',
    tags: ['Volumes'],
    summary: "Create a volume if it doesn't exist",
    request: { body: jsonBody(createVolumeRequestSchema) },
    responses: { 200: jsonResponse(createdVolumeSchema, '`created` is false if the volume already existed') },
  },
  async (c, { volumes }: VolumeRouteDeps) => {
    const { name } = c.req.valid('json');
    const created = await volumes.create(c.get('principal').accountId, name, auditSource(c));
    return c.json({ name, created }, 200);
  },
);
