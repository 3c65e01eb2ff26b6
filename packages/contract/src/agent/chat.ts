import { z } from '@hono/zod-openapi';
import { attachmentSchema } from './chat-request.ts';
import { AGENT_LIMITS, CHAT_ID } from './limits.ts';

/** The id of a chat. */
export const chatIdSchema = z
  .string()
  .regex(CHAT_ID, 'a chat id has 1 to 64 of A-Z a-z 0-9 _ -')
  .openapi('ChatId', { example: 'b1946ac9-2f0f-4a3c-9d0e-5f6a7b8c9d0e' });

/**
 * The statuses of a run. `stopped`: by the user; `interrupted`: its process ended; `failed`: an error of the agent or the
 * model.
 */
export const RUN_STATUSES = ['running', 'done', 'stopped', 'interrupted', 'failed'] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** A row of `GET /chats`: a chat without its messages. Source: docs/contract/agent-api.md §4. */
export const chatSummarySchema = z
  .object({
    id: z.string(),
    /** By default, the first text of the user cut to 80 characters. */
    title: z.string(),
    createdAt: z.iso.datetime(),
    /** The time of the user's last message. */
    updatedAt: z.iso.datetime(),
    favoritedAt: z.iso.datetime().nullable(),
    /** The cost of all turns in USD, with six decimals. */
    cost: z.string().openapi({ example: '0.001234' }),
    /** The status of the latest run; null when there was none. */
    run: z.enum(RUN_STATUSES).nullable(),
    /** The id of the latest run. The `after` of its stream takes it with a frame's number. */
    run_id: z.string().optional(),
    /** The id of the shared chat that this one is a copy of. */
    forked_from: z.string().optional(),
    /** In the result of a search: the newest message that matches. Absent when only the title does. */
    match: z
      .object({
        seq: z.int(),
        role: z.enum(['user', 'assistant']),
        /** The text around the first match, in pieces; those that match have `is_match`. */
        excerpt: z.array(z.object({ text: z.string(), is_match: z.boolean() })),
      })
      .optional(),
  })
  .openapi('ChatSummary');

export type ChatSummary = z.infer<typeof chatSummarySchema>;

/** The ratings that a person can give an answer. */
export const FEEDBACK_RATINGS = ['up', 'down'] as const;

/** A message of a stored chat. */
export const storedMessageSchema = z
  .object({
    role: z.enum(['user', 'assistant']),
    /** The text; for an assistant, all parts as Markdown. Images and files of a user are in `attachments`. */
    content: z.string(),
    /** For an assistant: the merged frames, and cards that wait for the person, as `{"type": "card", "card": <the ui frame>}`. */
    parts: z.array(z.looseObject({ type: z.string() })).optional(),
    attachments: z.array(attachmentSchema).optional(),
    /** The reason why the turn is incomplete; absent for a complete one. */
    status: z.enum(['stopped', 'interrupted', 'failed']).optional(),
    /** Number of the message within its chat. Numbers increase, have gaps, and are never reused. */
    seq: z.int().optional(),
    /** For a message of the user with several versions: the numbers of all of them, the earliest first. */
    versions: z.array(z.int()).optional(),
    /** The person's own feedback on an answer. */
    feedback: z.object({ rating: z.enum(FEEDBACK_RATINGS).nullable(), note: z.string() }).optional(),
  })
  .openapi('StoredMessage');

export type StoredMessage = z.infer<typeof storedMessageSchema>;

/** A chat without its messages, with its metadata. */
export const chatRecordSchema = chatSummarySchema
  .extend({ meta: z.record(z.string(), z.unknown()) })
  .openapi('ChatRecord');

/** A chat without its messages, with the metadata that its owner set. */
export type ChatRecord = z.infer<typeof chatRecordSchema>;

/** Response of `GET /chats/{id}`. */
export const chatSchema = chatRecordSchema
  .extend({
    messages: z.array(storedMessageSchema),
    /** Cursor for `since`, which returns the messages after these. */
    next: z.int(),
    /** The role of the message that the first returned one continues; null when it starts a message of its own. */
    open: z.enum(['user', 'assistant']).nullable(),
    /** True when `messages` is the whole chat despite `since`: the client's copy is outdated. */
    reset: z.literal(true).optional(),
  })
  .openapi('Chat');

export type Chat = z.infer<typeof chatSchema>;

/** Body of `PUT /chats/{id}`. Fields that the server sets (id, owner, cost, run, messages…) are ignored. */
export const chatPatchSchema = z
  .object({
    title: z.string().trim().min(1).max(AGENT_LIMITS.chatTitleCharacters),
    favoritedAt: z.iso.datetime({ offset: true }).nullable(),
    /** Merged key by key; null removes a key. */
    meta: z
      .record(z.string().min(1).max(AGENT_LIMITS.chatMetaKeyCharacters), z.unknown())
      .refine((meta) => JSON.stringify(meta).length <= AGENT_LIMITS.chatMetaBytes, {
        message: `meta has more than ${AGENT_LIMITS.chatMetaBytes} characters of JSON`,
      }),
  })
  .partial()
  .openapi('ChatPatch');

export type ChatPatch = z.infer<typeof chatPatchSchema>;

/** Response of `DELETE /chats/{id}`. */
export const chatDeletedSchema = z
  .object({ ok: z.literal(true), trash_id: z.string().openapi({ example: 'chat:b1946ac9' }) })
  .openapi('ChatDeleted');

/** The response of an operation without a result. */
export const okSchema = z.object({ ok: z.literal(true) }).openapi('Ok');

/** The 409 response to a turn while another runs, with `Retry-After`. Source: docs/contract/agent-api.md §2. */
export const runInProgressSchema = z
  .object({ error: z.literal('run_in_progress'), chat_id: z.string(), detail: z.string() })
  .openapi('RunInProgress');

/** The 404 response to a stop when nothing runs. */
export const noRunSchema = z.object({ error: z.literal('no_run'), detail: z.string() }).openapi('NoRun');

/** Response of `POST /chats/{id}/stop`. */
export const stoppingSchema = z.object({ stopping: z.literal(true) }).openapi('Stopping');

/** Body of `PUT /chats/{id}/messages/{seq}/feedback`. Without a rating and a note, the feedback is removed. */
export const feedbackBodySchema = z
  .object({
    rating: z.enum(FEEDBACK_RATINGS).nullable().default(null),
    note: z.string().trim().max(AGENT_LIMITS.feedbackNoteCharacters).default(''),
  })
  .openapi('FeedbackBody');

/** A row of `GET /feedback`: one person's feedback on one answer. */
export const feedbackSchema = z
  .object({
    rating: z.enum(FEEDBACK_RATINGS).nullable(),
    note: z.string(),
    /** The question and the answer as they were, as Markdown. */
    question: z.string(),
    answer: z.string(),
    chat_id: z.string(),
    seq: z.int(),
    user_id: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi('Feedback');

export type Feedback = z.infer<typeof feedbackSchema>;
