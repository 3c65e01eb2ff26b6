import { defineOperation } from '@berth/accounts';
import { listObjectsQuerySchema, objectsPageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** Registers `GET /v1/volume/objects`. */
export const registerListObjects = defineOperation(
  'GET /v1/volume/objects',
  {
    scope: 'read',
    errors: ['not_found'],
    operationId: 'listObjects',
    tags: ['Volumes'],
    summary: 'List the objects of a volume, sorted by path bytes',
    request: { query: listObjectsQuerySchema },
    responses: { 200: jsonResponse(objectsPageSchema, 'A page of objects; `next_page_token` is null on the last one') },
  },
  async (c, { volumes }: VolumeRouteDeps) => {
    const { volume, prefix, page_token: pageToken, limit, delimiter } = c.req.valid('query');
    const query = { volume, prefix, pageToken, limit, isFolder: delimiter !== undefined };
    return c.json(await volumes.listObjects(c.get('principal').accountId, query), 200);
  },
);
