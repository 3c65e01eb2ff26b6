import { type AgentApp, routesOf } from '@berth/agent-core';
import { createValidationError } from '@berth/contract';
import { AGENT_LIMITS, chatSummarySchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { toChatSummary } from '../chat-views.ts';
import type { ChatRouteDeps } from './chat-route.ts';

/** `GET /chats`. Source: docs/contract/agent-api.md §4. */
export function registerListChats(app: AgentApp, deps: ChatRouteDeps): void {
  const route = routesOf(app, deps, 'Chats');
  route('GET /chats', 'listChats', {
    access: 'user',
    summary: 'List chats, newest first',
    description: 'If there are more, `Link: <…>; rel="next"` is the next cursor.',
    request: {
      query: z.object({
        limit: z.coerce.number().int().min(1).max(AGENT_LIMITS.chatsPageMax).default(AGENT_LIMITS.chatsPage),
        cursor: z.string().max(256).optional(),
        q: z.string().max(256).optional().openapi({
          description:
            'Only chats with this text in the title, or with all of its words in one message; these have `match`',
        }),
      }),
    },
    responses: { 200: jsonResponse(z.array(chatSummarySchema), 'A page of chats') },
  }).handle(async (c) => {
    const { limit, cursor, q } = c.req.valid('query');
    const chats = await deps.stores.chats.list(c.get('owner'), {
      // One extra row shows whether there is a next page.
      limit: limit + 1,
      ...(cursor ? { after: parseListCursor(cursor) } : {}),
      ...(q ? { query: q } : {}),
    });
    const page = chats.slice(0, limit);
    const last = page.at(-1);
    if (last && chats.length > limit) {
      const next = new URLSearchParams({ limit: String(limit), cursor: formatListCursor(last), ...(q ? { q } : {}) });
      c.header('Link', `</chats?${next}>; rel="next"`);
    }
    const nowMs = deps.clock.nowMs();
    return c.json(
      page.map((chat) => toChatSummary(chat, nowMs)),
      200,
    );
  });
}

/** A position in the list of chats: after the one with this time and id. */
interface ListPlace {
  readonly updatedAtMs: number;
  readonly id: string;
}

/** Encodes a position for a URL. It holds nothing that the list doesn't show. */
export function formatListCursor({ updatedAtMs, id }: ListPlace): string {
  return Buffer.from(`${updatedAtMs}:${id}`).toString('base64url');
}

/** Parses a cursor of {@link formatListCursor}. @throws `invalid` for any other text. */
export function parseListCursor(text: string): ListPlace {
  const match = /^(\d{1,16}):([A-Za-z0-9_-]{1,64})$/.exec(Buffer.from(text, 'base64url').toString());
  if (match?.[2] !== undefined) return { updatedAtMs: Number(match[1]), id: match[2] };
  throw createValidationError([
    { loc: ['query', 'cursor'], msg: 'not a cursor of a list of chats', type: 'invalid_cursor' },
  ]);
}
