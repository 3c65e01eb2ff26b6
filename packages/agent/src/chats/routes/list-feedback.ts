import { type AgentApp, routesOf } from '@berth/agent-core';
import { parseMemberKey, parseOwnerKey, type StoredFeedback } from '@berth/agent-store';
import { createValidationError } from '@berth/contract';
import { AGENT_LIMITS, FEEDBACK_RATINGS, type Feedback, feedbackSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { ChatRouteDeps } from './chat-route.ts';

/** `GET /feedback` [+]. Source: docs/contract/agent-api.md §4. */
export function registerListFeedback(app: AgentApp, deps: ChatRouteDeps): void {
  const route = routesOf(app, deps, 'Chats');
  route('GET /feedback', 'listFeedback', {
    access: 'person',
    summary: 'Feedback on answers, the latest change last',
    description:
      'Admins of an organization read the feedback of all its members, others their own. When there is more, `Link: <…>; rel="next"` says where.',
    request: {
      query: z.object({
        rating: z.enum(FEEDBACK_RATINGS).optional(),
        limit: z.coerce.number().int().min(1).max(AGENT_LIMITS.chatsPageMax).default(AGENT_LIMITS.feedbackPage),
        cursor: z.string().max(2_048).optional(),
      }),
    },
    responses: { 200: jsonResponse(z.array(feedbackSchema), 'A page of feedback') },
  }).handle(async (c) => {
    const { rating, limit, cursor } = c.req.valid('query');
    const user = c.get('user');
    const rows = await deps.stores.feedback.listAll({
      of: user?.orgId !== undefined && user.orgRole === 'admin' ? { orgId: user.orgId } : { owner: c.get('owner') },
      // One extra row shows whether there is a next page.
      limit: limit + 1,
      ...(rating && { rating }),
      ...(cursor !== undefined && { after: parseCursor(cursor) }),
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    if (last && rows.length > limit) {
      const next = new URLSearchParams({ limit: String(limit), cursor: formatCursor(last), ...(rating && { rating }) });
      c.header('Link', `</feedback?${next}>; rel="next"`);
    }
    return c.json(page.map(toView), 200);
  });
}

function toView({ owner, chatId, seq, rating, note, question, answer, ...times }: StoredFeedback): Feedback {
  const person = parseMemberKey(owner)?.person;
  return {
    ...{ rating: rating ?? null, note, question, answer, chat_id: chatId, seq },
    user_id: (person && parseOwnerKey(person)?.id) ?? owner,
    created_at: new Date(times.createdAtMs).toISOString(),
    updated_at: new Date(times.updatedAtMs).toISOString(),
  };
}

const placeSchema = z.tuple([z.number(), z.string(), z.string(), z.number()]);

function formatCursor({ updatedAtMs, owner, chatId, seq }: StoredFeedback): string {
  return Buffer.from(JSON.stringify([updatedAtMs, owner, chatId, seq])).toString('base64url');
}

/** @throws `invalid` for any other text than one of {@link formatCursor}. */
function parseCursor(text: string): Pick<StoredFeedback, 'updatedAtMs' | 'owner' | 'chatId' | 'seq'> {
  try {
    const [updatedAtMs, owner, chatId, seq] = placeSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { updatedAtMs, owner: owner as StoredFeedback['owner'], chatId, seq };
  } catch {
    throw createValidationError([
      { loc: ['query', 'cursor'], msg: 'not a cursor of a list of feedback', type: 'invalid_cursor' },
    ]);
  }
}
