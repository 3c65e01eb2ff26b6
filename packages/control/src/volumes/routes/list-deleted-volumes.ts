import { defineOperation } from '@berth/accounts';
import { deletedVolumeSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `GET /v1/volume/deleted`. */
export const registerListDeletedVolumes = defineOperation(
  'GET /v1/volume/deleted',
  {
    scope: 'read',
    operationId: 'listDeletedVolumes',
    tags: ['Volumes'],
    summary: 'List deleted volumes that can be restored, last deleted first',
    responses: { 200: jsonResponse(z.array(deletedVolumeSchema), 'For each name, the volume that would be restored') },
  },
  async (c, { volumes }: VolumeRouteDeps) => c.json(await volumes.listDeleted(c.get('principal').accountId), 200),
);
