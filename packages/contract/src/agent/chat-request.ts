import { z } from '@hono/zod-openapi';
import { AGENT_LIMITS } from './limits.ts';

/** A part of a user's message. */
export const inputPartSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image'), image: z.string() }),
    z.object({ type: z.literal('file'), file: z.string() }),
  ])
  .openapi('InputPart');

export type InputPart = z.infer<typeof inputPartSchema>;

/** A file that was uploaded with `PUT /files/attachments/…`. */
export const attachmentSchema = z
  .object({ name: z.string(), size: z.number(), type: z.string(), url: z.string(), path: z.string() })
  .partial({ size: true, type: true, url: true })
  .openapi('Attachment');

export type Attachment = z.infer<typeof attachmentSchema>;

/** A message of a chat request. */
export const chatMessageSchema = z
  .object({
    role: z.enum(['user', 'assistant', 'system', 'tool']),
    content: z.union([z.string(), z.array(inputPartSchema)]),
    parts: z.array(z.unknown()).nullish(),
    attachments: z.array(attachmentSchema).nullish(),
  })
  .openapi('ChatMessage');

export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** Body of `POST /` and `POST /chat`. Source: docs/contract/agent-api.md §2. */
export const chatRequestSchema = z
  .object({
    messages: z.array(chatMessageSchema).min(1),
    disabled_tools: z.array(z.string()).max(AGENT_LIMITS.disabledTools).default([]),
    approvals: z.array(z.string()).max(AGENT_LIMITS.approvals).default([]),
    auto: z.boolean().default(true),
    connectors: z.array(z.string()).max(AGENT_LIMITS.connectors).default([]),
    detach: z.boolean().default(false),
    /**
     * `seq` of a message of the user in the stored chat: this message becomes a new version of it. That message and all after it are
     * kept as an earlier version.
     */
    replaces: z.int().min(1).optional(),
  })
  .openapi('ChatRequest');

export type ChatRequest = z.infer<typeof chatRequestSchema>;

/** Body of `POST /chats/{id}/continue`: the options of the turn that continues. */
export const continueAnswerSchema = chatRequestSchema
  .pick({ disabled_tools: true, auto: true, connectors: true })
  .openapi('ContinueAnswer');

/** Response of `POST /chats/{id}/continue`. */
export const continuedAnswerSchema = z
  .object({
    /** ID of the run in which the answer continues. */
    run: z.string(),
  })
  .openapi('ContinuedAnswer');
