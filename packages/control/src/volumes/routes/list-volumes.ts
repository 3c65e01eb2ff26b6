import { defineOperation } from '@berth/accounts';
import { volumeSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `GET /v1/volume/list`. */
export const registerListVolumes = defineOperation(
  'GET /v1/volume/list',
  {
    scope: 'read',
    operationId: 'listVolumes',
    tags: ['Volumes'],
    summary: "List the account's volumes by name",
    responses: { 200: jsonResponse(z.array(volumeSchema), 'The volumes') },
  },
  async (c, { volumes }: VolumeRouteDeps) => {
    return c.json(await volumes.list(c.get('principal').accountId), 200);
  },
);
