import { type AgentApp, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { chatIdSchema, okSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { ChatRouteDeps } from './chat-route.ts';

/** `POST /chats/{id}/versions/{seq}` [+]. Source: docs/contract/agent-api.md §4. */
export function registerShowVersion(app: AgentApp, deps: ChatRouteDeps): void {
  const route = routesOf(app, deps, 'Chats');
  route('POST /chats/{id}/versions/{seq}', 'showVersion', {
    access: 'user',
    errors: ['not_found', 'conflict'],
    summary: 'Show another version of a message',
    description:
      'The chat goes on from this version, with what followed it. The version shown until now is kept. `versions` of a message lists what can be shown.',
    request: { params: z.object({ id: chatIdSchema, seq: z.coerce.number().int().min(1) }) },
    responses: { 200: jsonResponse(okSchema, 'The chat shows this version') },
  }).handle(async (c) => {
    const { id, seq } = c.req.valid('param');
    const result = await deps.stores.chats.showVersion(c.get('owner'), id, seq);
    if (result === 'missing') throw createError('not_found', `The chat has no version ${seq} to show. Reload it.`);
    if (result === 'running')
      throw createError('conflict', 'The agent is still answering in this chat. Stop it first.');
    return c.json({ ok: true as const }, 200);
  });
}
