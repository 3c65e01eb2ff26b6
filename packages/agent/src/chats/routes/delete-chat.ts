import { type AgentApp, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { chatDeletedSchema, chatIdSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { ChatRouteDeps } from './chat-route.ts';

/** `DELETE /chats/{id}`. Source: docs/contract/agent-api.md §4. */
export function registerDeleteChat(app: AgentApp, deps: ChatRouteDeps): void {
  const route = routesOf(app, deps, 'Chats');
  route('DELETE /chats/{id}', 'deleteChat', {
    access: 'user',
    errors: ['not_found'],
    summary: 'Move a chat to the trash',
    description: 'It can be restored for 30 days with POST /trash/{trash_id}/restore. A live run is stopped.',
    request: { params: z.object({ id: chatIdSchema }) },
    responses: { 200: jsonResponse(chatDeletedSchema, 'Moved to the trash') },
  }).handle(async (c) => {
    const { id } = c.req.valid('param');
    const owner = c.get('owner');
    // The run stops first: no one could see it afterwards, and it would go on and cost.
    await deps.runs.stop(owner, id);
    const isTrashed = await deps.stores.chats.trash(owner, id, deps.clock.nowMs());
    if (!isTrashed) throw createError('not_found', `There is no chat ${id}.`);
    return c.json({ ok: true as const, trash_id: `chat:${id}` }, 200);
  });
}
