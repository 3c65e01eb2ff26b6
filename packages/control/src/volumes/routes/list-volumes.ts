import type { Api } from '@berth/accounts';
import { defineRoute } from '@berth/accounts';
import { volumeSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

const route = defineRoute('GET /v1/volume/list', {
  scope: 'read',
  operationId: 'listVolumes',
  tags: ['Volumes'],
  summary: 'The volumes of the account, by name',
  responses: { 200: jsonResponse(z.array(volumeSchema), 'The volumes') },
});

/** Registers `GET /v1/volume/list`. */
export function registerListVolumes(api: Api, { volumes }: VolumeRouteDeps): void {
  api.openapi(route, async (c) => {
    return c.json(await volumes.list(c.get('principal').accountId), 200);
  });
}
