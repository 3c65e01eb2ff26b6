import { type AgentApp, routesOf } from '@berth/agent-core';
import { chatIdSchema, chatPatchSchema, chatRecordSchema } from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { FORKED_FROM, toChatRecord } from '../chat-views.ts';
import type { ChatRouteDeps } from './chat-route.ts';

/** `PUT /chats/{id}`. Source: docs/contract/agent-api.md §4. */
export function registerPutChat(app: AgentApp, deps: ChatRouteDeps): void {
  const route = routesOf(app, deps, 'Chats');
  route('PUT /chats/{id}', 'putChat', {
    access: 'user',
    errors: ['conflict'],
    summary: 'Create a chat, or change its title, star and custom fields',
    request: { params: z.object({ id: chatIdSchema }), body: jsonBody(chatPatchSchema) },
    responses: { 200: jsonResponse(chatRecordSchema, 'The updated chat') },
  }).handle(async (c) => {
    const { title, favoritedAt, meta } = c.req.valid('json');
    const nowMs = deps.clock.nowMs();
    const { [FORKED_FROM]: _, ...own } = meta ?? {};
    const chat = await deps.stores.chats.patch(
      c.get('owner'),
      c.req.valid('param').id,
      {
        ...(title === undefined ? {} : { title }),
        ...(favoritedAt === undefined ? {} : { favoritedAtMs: favoritedAt === null ? null : Date.parse(favoritedAt) }),
        ...(meta === undefined ? {} : { meta: own }),
      },
      nowMs,
    );
    return c.json(toChatRecord(chat, nowMs), 200);
  });
}
