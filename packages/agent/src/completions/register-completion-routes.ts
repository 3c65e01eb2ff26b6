import { randomUUID } from 'node:crypto';
import { type AgentApp, defineRoute, type Handler, type RouteGuard } from '@berth/agent-core';
import { AGENT_LIMITS, completionRequestSchema, completionSchema } from '@berth/contract/agent';
import { eventStream, jsonBody, serverSentEvent } from '@berth/http';
import type { Clock, IdSource } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { logFailure } from '../runs/log-failure.ts';
import { DONE } from '../turns/frame-stream.ts';
import { workspaceOf } from '../turns/start-turn.ts';
import { completionChunks, readCompletion } from './completion-chunks.ts';
import { completionError, completionErrors } from './completion-errors.ts';
import { completionSource } from './completion-source.ts';
import { toTurnMessages } from './to-turn-messages.ts';

/**
 * Headers that stop OpenAI's clients from retrying: tools of a failed turn may have had effects. Source: OpenAI's client
 * libraries, `shouldRetry`.
 */
const NO_RETRY = { 'x-should-retry': 'false' } as const;

/** The turn options of this route. `auto` is on, because nobody can answer approvals here. */
const TURN = { disabled_tools: [], approvals: [], auto: true, connectors: [] };

/** Dependencies of {@link registerCompletionRoutes}. */
export interface CompletionRouteDeps extends RouteGuard {
  /** The `model` of the response when the request has none. */
  readonly agentName: string;
  readonly handler: Handler;
  /** Absolute path. */
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Registers `POST /chat/completions`, compatible with OpenAI's clients. Source: docs/contract/agent-api.md §2. */
export function registerCompletionRoutes(app: AgentApp, deps: CompletionRouteDeps): void {
  app.use('/chat/completions', completionErrors());
  const route = defineRoute({ access: 'turn', bodyBytes: AGENT_LIMITS.turnBytes }, deps, {
    method: 'post',
    path: '/chat/completions',
    operationId: 'createCompletion',
    tags: ['Chat'],
    summary: 'Answer as a chat-completions server does',
    description:
      'With `stream` the chunks come as server-sent events, [DONE] the last. Components are flattened to markdown. ' +
      'Nothing is stored. Errors have OpenAI’s `error` beside `detail`.',
    request: { body: jsonBody(completionRequestSchema) },
    responses: {
      200: {
        description: 'The answer',
        content: {
          'application/json': { schema: completionSchema },
          'text/event-stream': { schema: z.string() },
        },
      },
    },
  });
  app.openapi(route, async (c) => {
    const request = c.req.valid('json');
    const logger = c.get('logger');
    const owner = c.get('owner');
    const user = c.get('user');
    const header = {
      id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
      created: Math.floor(deps.clock.nowMs() / 1_000),
      model: request.model ?? deps.agentName,
    };
    const open = (signal: AbortSignal) =>
      completionSource({
        turn: {
          handler: deps.handler,
          turn: TURN,
          clock: deps.clock,
          logger,
          user,
          ownerKey: owner,
          chatId: header.id,
          workspace: workspaceOf(deps, c.get('workspace')),
        },
        messages: toTurnMessages(request.messages),
        runId: deps.ids.next('run'),
        clock: deps.clock,
        signal,
      });

    if (!request.stream) {
      try {
        return c.json(await readCompletion(header, open(c.req.raw.signal)), 200);
      } catch (error) {
        const detail = logFailure(error, logger);
        return c.json({ detail, ...completionError(500, detail) }, 500, NO_RETRY);
      }
    }
    const includeUsage = request.stream_options?.include_usage === true;
    async function* follow(signal: AbortSignal): AsyncGenerator<string> {
      try {
        for await (const chunk of completionChunks(header, open(signal), { includeUsage })) {
          yield serverSentEvent(JSON.stringify(chunk));
        }
      } catch (error) {
        yield serverSentEvent(JSON.stringify(completionError(500, logFailure(error, logger))));
      }
      yield DONE;
    }
    return eventStream(follow, { clock: deps.clock, logger, silenceMs: AGENT_LIMITS.pingMs });
  });
}
