import { type AgentApp, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { chatIdSchema, feedbackBodySchema, okSchema } from '@berth/contract/agent';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { readBack } from '../read-back.ts';
import type { ChatRouteDeps } from './chat-route.ts';

/** `PUT /chats/{id}/messages/{seq}/feedback` [+]. Source: docs/contract/agent-api.md §4. */
export function registerPutFeedback(app: AgentApp, deps: ChatRouteDeps): void {
  const route = routesOf(app, deps, 'Chats');
  route('PUT /chats/{id}/messages/{seq}/feedback', 'putFeedback', {
    access: 'user',
    errors: ['not_found'],
    summary: 'Rate an answer, or write a note about it',
    description:
      'Replaces earlier feedback on the answer. It is kept with the question and the answer as they are now.',
    request: {
      params: z.object({ id: chatIdSchema, seq: z.coerce.number().int().min(1) }),
      body: jsonBody(feedbackBodySchema),
    },
    responses: { 200: jsonResponse(okSchema, 'The feedback is stored, or removed') },
  }).handle(async (c) => {
    const { id, seq } = c.req.valid('param');
    const { rating, note } = c.req.valid('json');
    const { chats, feedback } = deps.stores;
    const owner = c.get('owner');
    const messages = readBack(await chats.messages(owner, id));
    const index = messages.findIndex((message) => message.role === 'assistant' && message.seq === seq);
    const answer = messages[index];
    if (!answer) throw createError('not_found', `The chat has no answer ${seq}. Reload it.`);
    if (rating === null && note === '') await feedback.remove(owner, id, seq);
    else {
      const question = messages.slice(0, index).findLast(({ role }) => role === 'user')?.content ?? '';
      const said = { owner, chatId: id, seq, note, question, answer: answer.content, ...(rating && { rating }) };
      await feedback.put(said, deps.clock.nowMs());
    }
    return c.json({ ok: true as const }, 200);
  });
}
