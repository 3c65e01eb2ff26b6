import { z } from '@hono/zod-openapi';
import { AGENT_LIMITS } from './limits.ts';

const textPartSchema = z.object({ type: z.literal('text'), text: z.string() });
const imagePartSchema = z.object({
  type: z.literal('image_url'),
  image_url: z.object({
    url: z.string().openapi({ description: 'A data: or https: URL, or a path in the workspace' }),
    detail: z.string().optional(),
  }),
});
const refusalPartSchema = z.object({ type: z.literal('refusal'), refusal: z.string() });
const filePartSchema = z.object({
  type: z.literal('file'),
  file: z.object({ file_data: z.string(), filename: z.string().max(255) }).partial(),
});

/** A call of one of the caller's tools. `arguments` is JSON text. */
export const completionToolCallSchema = z
  .object({
    id: z.string(),
    type: z.literal('function'),
    function: z.object({ name: z.string(), arguments: z.string() }),
  })
  .openapi('CompletionToolCall');

export type CompletionToolCall = z.infer<typeof completionToolCallSchema>;

/** A message of an OpenAI client. */
export const completionMessageSchema = z
  .object({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: z
      .union([
        z.string(),
        z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema, filePartSchema, refusalPartSchema])),
      ])
      .nullish(),
    /** For the role `assistant`: the calls returned to the caller. Their results are the messages with the role `tool`. */
    tool_calls: z.array(completionToolCallSchema).nullish(),
    /** For the role `tool`: the ID of the call whose result this is. */
    tool_call_id: z.string().nullish(),
  })
  .openapi('CompletionMessage');

export type CompletionMessage = z.infer<typeof completionMessageSchema>;

const schemaObject = z.record(z.string(), z.unknown());
const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** A tool of the caller: the agent may ask for it, and the caller runs it. */
export const completionToolSchema = z
  .object({
    type: z.literal('function', 'Only tools of the type "function" are supported.'),
    function: z.object({
      name: z.string().regex(FUNCTION_NAME, '1 to 64 of A-Z a-z 0-9 _ -'),
      description: z.string().nullish(),
      /** JSON Schema of an object. */
      parameters: schemaObject.nullish(),
      strict: z.boolean().nullish(),
    }),
  })
  .openapi('CompletionTool');

/** Whether the answer calls tools of the caller. */
const toolChoiceSchema = z.union([
  z.enum(['none', 'auto', 'required']),
  z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
]);

/** The form of the answer's text. */
const responseFormatSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string().regex(FUNCTION_NAME, '1 to 64 of A-Z a-z 0-9 _ -'),
      description: z.string().nullish(),
      schema: schemaObject,
      strict: z.boolean().nullish(),
    }),
  }),
]);

/** A decision on a call that waits for approval. An extension of OpenAI's API, named after its `mcp_approval_response`. */
const approvalResponseSchema = z
  .object({
    /** The `id` of the approval request. */
    approval_request_id: z.string().max(256),
    approve: z.boolean(),
  })
  .openapi('CompletionApprovalResponse');

/**
 * Body of `POST /chat/completions`. Sampling settings and other fields are accepted and ignored: the agent decides how it
 * answers. Source: OpenAI's API reference, "Create chat completion"; docs/contract/agent-api.md §2, "Completions".
 */
export const completionRequestSchema = z
  .object({
    messages: z.array(completionMessageSchema).min(1),
    /** Echoed in the response. */
    model: z.string().max(256).optional(),
    /** Without it, the `Accept` header decides. */
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    n: z.literal(1, 'This agent gives one choice; leave n out or send 1.').nullish(),
    tools: z.array(completionToolSchema).max(128).nullish(),
    tool_choice: toolChoiceSchema.nullish(),
    response_format: responseFormatSchema.nullish(),
    /** The older form of `tools`, which is refused. */
    functions: z.array(z.unknown()).max(0, 'Send tools in place of functions.').nullish(),
    approval_responses: z.array(approvalResponseSchema).max(AGENT_LIMITS.approvals).nullish(),
  })
  .openapi('CompletionRequest');

export type CompletionRequest = z.infer<typeof completionRequestSchema>;

/** The token usage of a completion. */
export const completionUsageSchema = z
  .object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
  .openapi('CompletionUsage');

/** The token usage of a turn: reported by the model, else estimated. */
export type CompletionUsage = z.infer<typeof completionUsageSchema>;

/** Why an answer ended: complete, too long, with calls for the caller, or held back by the model's provider. */
export const COMPLETION_FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;

export type CompletionFinishReason = (typeof COMPLETION_FINISH_REASONS)[number];

/** A call of one of the agent's own tools that waits for the person's approval. An extension of OpenAI's API. */
export const completionApprovalSchema = z
  .object({
    /** The `approval_request_id` of the decision. */
    id: z.string(),
    type: z.literal('approval_request'),
    /** The tool. */
    name: z.string(),
    /** JSON text. */
    arguments: z.string(),
    /** Description of the call for people. */
    label: z.string(),
    risk: z.string(),
    /** The connector of the tool; absent for the agent's own tools. */
    connector: z.string().optional(),
  })
  .openapi('CompletionApprovalRequest');

export type CompletionApproval = z.infer<typeof completionApprovalSchema>;

/** Response of `POST /chat/completions` as one object. */
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
        message: z.object({
          role: z.literal('assistant'),
          /** Null for an answer of calls alone. */
          content: z.string().nullable(),
          refusal: z.null(),
          tool_calls: z.array(completionToolCallSchema).optional(),
          approval_requests: z.array(completionApprovalSchema).optional(),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(COMPLETION_FINISH_REASONS),
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
        delta: z.object({
          role: z.literal('assistant').optional(),
          content: z.string().optional(),
          tool_calls: z.array(completionToolCallSchema.extend({ index: z.int() })).optional(),
          approval_requests: z.array(completionApprovalSchema).optional(),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(COMPLETION_FINISH_REASONS).nullable(),
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

/** A model of `GET /models`: the agent itself. */
export const completionModelSchema = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    /** Seconds since the Unix epoch: the start of the agent. */
    created: z.int(),
    owned_by: z.string(),
  })
  .openapi('CompletionModel');

/** Response of `GET /models`. */
export const completionModelsSchema = z
  .object({ object: z.literal('list'), data: z.array(completionModelSchema) })
  .openapi('CompletionModels');
