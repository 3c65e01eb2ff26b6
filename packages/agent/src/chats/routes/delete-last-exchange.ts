import { createHash } from 'node:crypto';
import { type AgentApp, routesOf } from '@berth/agent-core';
import type { ChatStore, OwnerKey, StoredMessage } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { chatIdSchema, okSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { isHidden, textOfContent } from '../read-back.ts';
import type { ChatRouteDeps } from './chat-route.ts';

const SHA256 = /^[0-9a-f]{64}$/i;

/** `DELETE /chats/{id}/last-exchange`. Source: docs/contract/agent-api.md §4. */
export function registerDeleteLastExchange(app: AgentApp, deps: ChatRouteDeps): void {
  const route = routesOf(app, deps, 'Chats');
  route('DELETE /chats/{id}/last-exchange', 'deleteLastExchange', {
    access: 'user',
    errors: ['not_found', 'conflict', 'precondition_failed'],
    summary: 'Remove the last user message and everything after it',
    request: {
      params: z.object({ id: chatIdSchema }),
      query: z.object({
        expect: z.string().regex(SHA256, 'not a SHA-256 in hexadecimal').optional().openapi({
          description: 'SHA-256 of the `content` of the message as read, so that no other message is removed',
        }),
      }),
    },
    responses: { 200: jsonResponse(okSchema, 'It is gone') },
  }).handle(async (c) => {
    await removeLastExchange(deps.stores.chats, {
      owner: c.get('owner'),
      chatId: c.req.valid('param').id,
      expect: c.req.valid('query').expect,
      nowMs: deps.clock.nowMs(),
    });
    return c.json({ ok: true as const }, 200);
  });
}

/** Returns the hashes by which a client may name a message: of its text, as it reads back, and of the parts as they were sent. */
function contentHashes(content: StoredMessage['content']): readonly string[] {
  const texts = typeof content === 'string' ? [content] : [textOfContent(content), JSON.stringify(content)];
  return texts.map((text) => createHash('sha256').update(text).digest('hex'));
}

interface RemoveExchange {
  readonly owner: OwnerKey;
  readonly chatId: string;
  /** One of the {@link contentHashes} of the message that the caller expects to be the user's last one. */
  readonly expect: string | undefined;
  readonly nowMs: number;
}

/**
 * Removes the user's last message and all after it.
 * @throws `not_found` without chat or message, `precondition_failed` when the message is another, `conflict` while a run is live.
 */
async function removeLastExchange(chats: ChatStore, { owner, chatId, expect, nowMs }: RemoveExchange): Promise<void> {
  const messages = await chats.messages(owner, chatId);
  const last = messages.findLast((message) => message.role === 'user' && !isHidden(message));
  const newest = messages.at(-1);
  if (!last || !newest) throw createError('not_found', 'No such chat, or it has no message of yours.');
  if (expect !== undefined && !contentHashes(last.content).includes(expect.toLowerCase())) {
    throw createError('precondition_failed', 'The chat has changed since you loaded it. Reload and try again.');
  }
  const result = await chats.truncate(owner, chatId, { fromSeq: last.seq, lastSeq: newest.seq, nowMs });
  if (result === 'missing') throw createError('not_found', 'No such chat.');
  if (result === 'running') throw createError('conflict', 'The chat has a live run: stop it first.');
  if (result === 'changed') throw createError('conflict', 'The chat has just changed. Reload and try again.');
}
