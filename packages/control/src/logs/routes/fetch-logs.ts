import { logsRequestSchema, logsResponseSchema } from '@berth/contract';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody, jsonResponse } from '../../http/json-content.ts';
import { getReadableScope, type LogRouteDeps } from '../readable-scope.ts';
import { refuseQuery } from '../refuse-query.ts';
import { toLogEntry } from '../to-log-entry.ts';

const route = defineRoute(
  { scope: 'logs', errors: ['not_found', 'not_available'] },
  {
    method: 'post',
    path: '/v1/deployment/logs',
    operationId: 'fetchLogs',
    tags: ['Logs'],
    summary: 'Read the log of a deployment',
    description:
      'Without `since` the newest `limit` entries, with it the oldest `limit` after it; oldest first. The `cursor` of an ' +
      'answer is the `since` of the next request: no entry is skipped or repeated.',
    request: { body: jsonBody(logsRequestSchema) },
    responses: { 200: jsonResponse(logsResponseSchema, 'Entries, oldest first') },
  },
);

/** `POST /v1/deployment/logs`. Source: spec control-plane 6. */
export function registerFetchLogs(api: Api, deps: LogRouteDeps): void {
  api.openapi(route, async (c) => {
    const { deployment_name: name, since, limit, query } = c.req.valid('json');
    const scope = await getReadableScope(deps, c.get('principal').accountId, name);
    refuseQuery(query);
    const entries = await deps.logs.read(scope, { limit, ...(since ? { since } : {}) });
    return c.json({ logs: entries.map(toLogEntry), cursor: entries.at(-1)?.timestamp ?? since ?? null }, 200);
  });
}
