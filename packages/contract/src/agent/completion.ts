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

/** A message of an OpenAI client. Fields for the client's own tool calls are ignored. */
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
 * Body of `POST /chat/completions`. Sampling settings, client-side tools and other fields are accepted and ignored: the
 * agent decides how it answers. Source: OpenAI's API reference, "Create chat completion"; docs/contract/agent-api.md §2.
 */
export const completionRequestSchema = z
  .object({
    messages: z.array(completionMessageSchema).min(1),
    /** Echoed in the response. */
    model: z.string().max(256).optional(),
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    n: z.literal(1, 'This agent gives one choice; leave n out or send 1.').nullish(),
  })
  .openapi('CompletionRequest');

export type CompletionRequest = z.infer<typeof completionRequestSchema>;

/** The token usage of a completion. */
export const completionUsageSchema = z
  .object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
  .openapi('CompletionUsage');

/** The token usage of a turn: reported by the model, else estimated. */
export type CompletionUsage = z.infer<typeof completionUsageSchema>;

const FINISH_REASONS = ['stop', 'length'] as const;

export type CompletionFinishReason = (typeof FINISH_REASONS)[number];

/** Response of `POST /chat/completions` without `stream`. */
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

/** One server-sent event of the response with `stream`. */
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
    /** Present with `include_usage` only: null until the last chunk, which has the usage and no choices. */
    usage: completionUsageSchema.nullish(),
  })
  .openapi('CompletionChunk');

export type CompletionChunk = z.infer<typeof completionChunkSchema>;

/** An error in the form that OpenAI clients read. The response also has `detail`, for other clients. */
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
