import { type AgentApp, routesOf } from '@berth/agent-core';
import { chatIdSchema, chatSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { readChat, toMessagePlace } from '../read-chat.ts';
import type { ChatRouteDeps } from './chat-route.ts';

/** `GET /chats/{id}`. Source: docs/contract/agent-api.md §4. */
export function registerGetChat(app: AgentApp, deps: ChatRouteDeps): void {
  const route = routesOf(app, deps, 'Chats');
  route('GET /chats/{id}', 'getChat', {
    access: 'user',
    summary: 'Get a chat with its messages',
    request: {
      params: z.object({ id: chatIdSchema }),
      query: z.object({
        since: z.coerce
          .number()
          .int()
          .min(0)
          .optional()
          .openapi({ description: '`next` of an earlier answer: only messages after it' }),
      }),
    },
    responses: { 200: jsonResponse(chatSchema, 'The chat'), 204: { description: 'No such chat' } },
  }).handle(async (c) => {
    const { since } = c.req.valid('query');
    const chat = await readChat({ ...deps.stores, runs: deps.runs }, c.get('owner'), c.req.valid('param').id, {
      since: since === undefined ? undefined : toMessagePlace(since),
      nowMs: deps.clock.nowMs(),
    });
    return chat ? c.json(chat, 200) : c.body(null, 204);
  });
}
