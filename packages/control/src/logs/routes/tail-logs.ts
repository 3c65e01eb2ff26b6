import { defineOperation } from '@berth/accounts';
import { dateTimeSchema, LIMITS } from '@berth/contract';
import { eventStream, serverSentEvent } from '@berth/http';
import type { Clock } from '@berth/kit';
import { parseFilter } from '@berth/logstore';
import { z } from '@hono/zod-openapi';
import { getReadableScope, type LogRouteDeps, logFilterSchema, toLogEntry } from '../readable-scope.ts';

/** Dependencies of {@link registerTailLogs}. */
export interface TailLogsDeps extends LogRouteDeps {
  readonly clock: Clock;
}

/** `GET /v1/deployment/logs/tail` [+]. Source: docs/contract/control-plane.md §6. */
export const registerTailLogs = defineOperation(
  'GET /v1/deployment/logs/tail',
  {
    scope: 'logs',
    errors: ['not_found'],
    operationId: 'tailLogs',
    tags: ['Logs'],
    summary: 'Follow the log of a deployment',
    description:
      'Server-sent events: `id` is the timestamp of an entry and its cursor, `data` a LogEntry as JSON. Starts now, or ' +
      'after `since`; `Last-Event-ID`, which browsers send on reconnection, overrides `since`. Only ' +
      'entries that match `query`, a filter in the language of Cloud Logging.',
    request: {
      query: z.object({
        name: z.string(),
        since: dateTimeSchema.optional(),
        query: logFilterSchema.optional(),
        with_instance: z.enum(['true', 'false']).optional().openapi({
          description: '`true` adds `instance` to the entries',
        }),
      }),
      headers: z.object({ 'last-event-id': z.union([z.literal(''), dateTimeSchema]).optional() }),
    },
    responses: {
      200: { description: 'Entries as they are written', content: { 'text/event-stream': { schema: z.string() } } },
    },
  },
  async (c, deps: TailLogsDeps) => {
    const { name, since, query, with_instance } = c.req.valid('query');
    const start = c.req.valid('header')['last-event-id'] || since;
    const scope = await getReadableScope(deps, c.get('principal').accountId, name);
    const filter = parseFilter(query ?? '');
    async function* follow(signal: AbortSignal): AsyncGenerator<string> {
      const wanted = { signal, ...(start ? { since: start } : {}), ...(filter ? { filter } : {}) };
      for await (const entry of deps.logs.tail(scope, wanted)) {
        yield serverSentEvent(JSON.stringify(toLogEntry(entry, with_instance === 'true')), entry.timestamp);
      }
    }
    return eventStream(follow, {
      clock: deps.clock,
      logger: c.get('logger'),
      silenceMs: LIMITS.streamHeartbeatMs,
      opening: ': open\n\n',
    });
  },
);
