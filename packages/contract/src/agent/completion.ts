import { z } from '@hono/zod-openapi';

const textPartSchema = z.object({ type: z.literal('text'), text: z.string() });
const imagePartSchema = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string(), detail: z.string().optional() }),
});
const refusalPartSchema = z.object({ type: z.literal('refusal'), refusal: z.string() });
const filePartSchema = z.object({
  type: z.literal('file'),
  file: z.object({ file_data: z.string(), filename: z.string() }).partial(),
});

/** A message as OpenAI clients send it; fields that only tool calls of the client's own need are passed over. */
export const completionMessageSchema = z
  .object({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: z
      .union([
        z.string(),
        z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema, filePartSchema, refusalPartSchema])),
      ])
      .nullish(),
  })
  .openapi('CompletionMessage');

export type CompletionMessage = z.infer<typeof completionMessageSchema>;

/**
 * Body of `POST /chat/completions`. Sampling settings, the client's own tools and what else there is are accepted and
 * have no effect: the agent decides how it answers. Source: OpenAI's API reference, "Create chat completion"; docs/contract/agent-api.md §2.
 */
export const completionRequestSchema = z
  .object({
    messages: z.array(completionMessageSchema).min(1),
    /** Echoed in the answer. */
    model: z.string().max(256).optional(),
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    n: z.literal(1, 'This agent gives one choice; leave n out or send 1.').nullish(),
  })
  .openapi('CompletionRequest');

export type CompletionRequest = z.infer<typeof completionRequestSchema>;

export const completionUsageSchema = z
  .object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
  .openapi('CompletionUsage');

/** Tokens of a turn: what the model said they were, else an estimate. */
export type CompletionUsage = z.infer<typeof completionUsageSchema>;

const FINISH_REASONS = ['stop', 'length'] as const;

export type CompletionFinishReason = (typeof FINISH_REASONS)[number];

/** The answer without `stream`. */
export const completionSchema = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    /** Seconds since the Unix epoch. */
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({ role: z.literal('assistant'), content: z.string(), refusal: z.null() }),
        logprobs: z.null(),
        finish_reason: z.enum(FINISH_REASONS),
      }),
    ),
    usage: completionUsageSchema,
  })
  .openapi('Completion');

export type Completion = z.infer<typeof completionSchema>;

/** A `data:` line of the answer with `stream`. */
export const completionChunkSchema = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        delta: z.object({ role: z.literal('assistant').optional(), content: z.string().optional() }),
        logprobs: z.null(),
        finish_reason: z.enum(FINISH_REASONS).nullable(),
      }),
    ),
    /** With `include_usage` only: null, and in one last chunk without choices the figures. */
    usage: completionUsageSchema.nullish(),
  })
  .openapi('CompletionChunk');

export type CompletionChunk = z.infer<typeof completionChunkSchema>;

/** An error as OpenAI clients read it, `detail` beside it for all others. */
export const completionErrorSchema = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .openapi('CompletionError');

export type CompletionError = z.infer<typeof completionErrorSchema>;
