import { z } from '@hono/zod-openapi';
import { attachmentSchema, inputPartSchema } from './chat-request.ts';
import { AGENT_LIMITS, CHAT_ID } from './limits.ts';

export const chatIdSchema = z
  .string()
  .regex(CHAT_ID, 'a chat id has 1 to 64 of A-Z a-z 0-9 _ -')
  .openapi('ChatId', { example: 'b1946ac9-2f0f-4a3c-9d0e-5f6a7b8c9d0e' });

/** `stopped`: by the person; `interrupted`: its process went away; `failed`: the agent's code or model did. */
export const RUN_STATUSES = ['running', 'done', 'stopped', 'interrupted', 'failed'] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** The latest run of a chat. `id` with a frame's number is what `after` of its stream takes. */
export const runViewSchema = z
  .object({ id: z.string(), status: z.enum(RUN_STATUSES), startedAt: z.iso.datetime() })
  .openapi('Run');

export type RunView = z.infer<typeof runViewSchema>;

/** A chat without its messages, as it is listed. Source: docs/contract/agent-api.md §4. */
export const chatSummarySchema = z
  .object({
    id: z.string(),
    /** The first text of the user, cut to 80 characters, until it is set. */
    title: z.string(),
    createdAt: z.iso.datetime(),
    /** When the user wrote last. */
    updatedAt: z.iso.datetime(),
    favoritedAt: z.iso.datetime().nullable(),
    /** Of all turns, in USD with six decimals. */
    cost: z.string().openapi({ example: '0.001234' }),
    run: z.union([runViewSchema, z.null()]),
  })
  .openapi('ChatSummary');

export type ChatSummary = z.infer<typeof chatSummarySchema>;

export const storedMessageSchema = z
  .object({
    role: z.enum(['user', 'assistant']),
    /** Of an assistant: all of its parts as markdown. */
    content: z.union([z.string(), z.array(inputPartSchema)]),
    /** Of an assistant: what its frames added up to. */
    parts: z.array(z.looseObject({ type: z.string() })).optional(),
    attachments: z.array(attachmentSchema).optional(),
    /** How the turn ended, when it did not end well; what there is of it is kept. */
    status: z.enum(['stopped', 'interrupted', 'failed']).optional(),
  })
  .openapi('StoredMessage');

export type StoredMessage = z.infer<typeof storedMessageSchema>;

export const chatRecordSchema = chatSummarySchema
  .extend({ meta: z.record(z.string(), z.unknown()) })
  .openapi('ChatRecord');

/** A chat with the fields that its owner gave it. */
export type ChatRecord = z.infer<typeof chatRecordSchema>;

export const chatSchema = chatRecordSchema
  .extend({
    messages: z.array(storedMessageSchema),
    /** Cursor for `since`: the messages after these. */
    next: z.string(),
    /** True while a run is live: its answer is still to come. */
    open: z.boolean(),
    /** True when `messages` are all there are, though `since` was given: what the reader has is outdated. */
    reset: z.literal(true).optional(),
  })
  .openapi('Chat');

export type Chat = z.infer<typeof chatSchema>;

/** Body of `PUT /chats/{id}`. What the server decides (id, owner, cost, run, messages…) is passed over. */
export const chatPatchSchema = z
  .object({
    title: z.string().trim().min(1).max(AGENT_LIMITS.chatTitleCharacters),
    favoritedAt: z.iso.datetime({ offset: true }).nullable(),
    /** Merged key by key; null removes one. */
    meta: z
      .record(z.string().min(1).max(AGENT_LIMITS.chatMetaKeyCharacters), z.unknown())
      .refine((meta) => JSON.stringify(meta).length <= AGENT_LIMITS.chatMetaBytes, {
        message: `meta has more than ${AGENT_LIMITS.chatMetaBytes} characters of JSON`,
      }),
  })
  .partial()
  .openapi('ChatPatch');

export type ChatPatch = z.infer<typeof chatPatchSchema>;

export const chatDeletedSchema = z
  .object({ ok: z.literal(true), trash_id: z.string().openapi({ example: 'chat:b1946ac9' }) })
  .openapi('ChatDeleted');

export const okSchema = z.object({ ok: z.literal(true) }).openapi('Ok');

/** 409 of a turn while another runs, with `Retry-After`. Source: docs/contract/agent-api.md §2. */
export const runInProgressSchema = z
  .object({ error: z.literal('run_in_progress'), chat_id: z.string(), detail: z.string() })
  .openapi('RunInProgress');

/** 404 of a stop when nothing runs. */
export const noRunSchema = z.object({ error: z.literal('no_run'), detail: z.string() }).openapi('NoRun');

export const stoppingSchema = z.object({ stopping: z.literal(true) }).openapi('Stopping');
