import { randomUUID } from 'node:crypto';
import { type AgentApp, routesOf } from '@berth/agent-core';
import { ANONYMOUS } from '@berth/agent-store';
import { AGENT_LIMITS, chatIdSchema, chatRequestSchema } from '@berth/contract/agent';
import { jsonBody } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { frameStream } from '../frame-stream.ts';
import { startTurn } from '../start-turn.ts';
import { runResponses, type TurnRouteDeps } from './turn-route.ts';

/** `POST /` and `POST /chat`. Source: docs/contract/agent-api.md §2. */
export function registerStartTurn(app: AgentApp, deps: TurnRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  for (const [path, operationId] of [
    ['/', 'chat'],
    ['/chat', 'chatAlias'],
  ] as const) {
    route(`POST ${path}`, operationId, {
      access: 'turn',
      errors: ['forbidden', 'not_found', 'too_many_requests'],
      bodyBytes: AGENT_LIMITS.turnBytes,
      summary: 'Answer a message',
      description:
        'Server-sent events: each `data` is a frame as JSON, each `id` its place, the last `data` is [DONE]. Signed in, ' +
        'the chat is stored and only the last message of the user is taken; else all messages are, and nothing is stored.',
      request: { query: z.object({ id: chatIdSchema.optional() }), body: jsonBody(chatRequestSchema) },
      responses: runResponses.frames,
    }).handle(async (c) => {
      const logger = c.get('logger');
      const [user, owner] = [c.get('user'), c.get('owner')];
      const reader = await startTurn(deps, {
        user,
        owner,
        workspace: c.get('workspace'),
        chatId: c.req.valid('query').id ?? randomUUID(),
        request: c.req.valid('json'),
        logger,
        ...(deps.onAnswered && {
          observer: {
            onSettled({ status, chatId, runId }) {
              if (status === 'done' && owner !== ANONYMOUS) deps.onAnswered?.({ user, owner, chatId, runId });
            },
          },
        }),
      });
      return frameStream(reader, { clock: deps.clock, logger });
    });
  }
}
