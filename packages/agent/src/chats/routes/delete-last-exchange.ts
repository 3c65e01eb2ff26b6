import { type AgentApp, defineRoute } from '@berth/agent-core';
import { chatIdSchema, okSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { removeLastExchange } from '../last-exchange.ts';
import type { ChatRouteDeps } from './chat-route.ts';

const SHA256 = /^[0-9a-f]{64}$/i;

/** `DELETE /chats/{id}/last-exchange`. Source: docs/contract/agent-api.md §4. */
export function registerDeleteLastExchange(app: AgentApp, deps: ChatRouteDeps): void {
  const route = defineRoute({ access: 'user', errors: ['not_found', 'conflict', 'precondition_failed'] }, deps, {
    method: 'delete',
    path: '/chats/{id}/last-exchange',
    operationId: 'deleteLastExchange',
    tags: ['Chats'],
    summary: 'Take back the last message of the user and all after it',
    request: {
      params: z.object({ id: chatIdSchema }),
      query: z.object({
        expect: z.string().regex(SHA256, 'not a SHA-256 in hexadecimal').optional().openapi({
          description: 'SHA-256 of the text of the message (of parts: of their JSON), so that no other is taken',
        }),
      }),
    },
    responses: { 200: jsonResponse(okSchema, 'It is gone') },
  });
  app.openapi(route, async (c) => {
    await removeLastExchange(deps.stores.chats, {
      owner: c.get('owner'),
      chatId: c.req.valid('param').id,
      expect: c.req.valid('query').expect,
      nowMs: deps.clock.nowMs(),
    });
    return c.json({ ok: true as const }, 200);
  });
}
