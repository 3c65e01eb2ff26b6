import { defineOperation } from '@berth/accounts';
import { createError, logsRequestSchema, logsResponseSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { parseFilter } from '@berth/logstore';
import { z } from '@hono/zod-openapi';
import { getReadableScope, type LogRouteDeps, logFilterSchema, toLogEntry } from '../readable-scope.ts';

// Not `extend`, which the OpenAPI document would show as a schema that extends itself.
const requestSchema = z.object({ ...logsRequestSchema.shape, query: logFilterSchema.nullish() }).openapi('LogsRequest');

/** `POST /v1/deployment/logs`. Source: docs/contract/control-plane.md §6. */
export const registerFetchLogs = defineOperation(
  'POST /v1/deployment/logs',
  {
    scope: 'logs',
    errors: ['not_found'],
    operationId: 'fetchLogs',
    tags: ['Logs'],
    summary: 'List log entries of a deployment',
    description:
      'Without `since` the newest `limit` entries, with it the oldest `limit` after it; oldest first. The `cursor` of an ' +
      'response is the `since` of the next request: no entry is skipped or repeated. `query` is a filter in the language of ' +
      'Cloud Logging (docs/guides/log-filters.md): only matching entries are returned and counted.',
    request: { body: jsonBody(requestSchema) },
    responses: { 200: jsonResponse(logsResponseSchema, 'Entries, oldest first') },
  },
  async (c, deps: LogRouteDeps) => {
    const { deployment_name: name, since, limit, query, with_instance: hasInstance = false } = c.req.valid('json');
    const scope = await getReadableScope(deps, c.get('principal').accountId, name);
    const filter = parseFilter(query ?? '');
    // A filter may read a whole log, so a disconnect cancels it.
    const { signal } = c.req.raw;
    const wanted = { limit, signal, ...(since ? { since } : {}), ...(filter ? { filter } : {}) };
    const entries = await deps.logs.read(scope, wanted).catch((error: unknown) => {
      throw signal.aborted ? createError('unavailable', 'The client disconnected.', { cause: error }) : error;
    });
    const logs = entries.map((entry) => toLogEntry(entry, hasInstance));
    return c.json({ logs, cursor: entries.at(-1)?.timestamp ?? since ?? null }, 200);
  },
);
