import type { ModelTool } from '@berth/agent-core';

/**
 * The port to a language model. Adapters translate; retries, counting and prices are implemented once, around this port.
 */
export interface Model {
  /** The model's name in the usage line and in the price file. */
  readonly name: string;
  /** True for a model that follows `responseFormat`. Without it the loop has other models give structured output by a tool. */
  readonly hasResponseFormat?: boolean;
  /** The provider in traces, a name of OpenTelemetry's list where there is one, e.g. `openai`; `custom` by default. */
  readonly provider?: string;
  /** Where requests go; traces name its host. */
  readonly server?: URL;
  /**
   * Streams one answer. Leaving the loop early, or the signal, closes the connection.
   * @throws ModelError, and the signal's reason.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** Returns what a model says of itself, for a wrapper around its `stream`. */
export function factsOf({ name, hasResponseFormat, provider, server }: Model): Omit<Model, 'stream'> {
  return {
    name,
    ...(hasResponseFormat && { hasResponseFormat }),
    ...(provider !== undefined && { provider }),
    ...(server && { server }),
  };
}

export interface ModelRequest {
  readonly system?: string;
  /** Starts with a message of the user; ends with one of the user or with tool results. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** `auto` by default. */
  readonly toolChoice?: ToolChoice;
  /** The form of the answer's text; set only for models with `hasResponseFormat`. */
  readonly responseFormat?: ResponseFormat;
  readonly signal: AbortSignal;
  /**
   * Called by adapters when the body of the answer begins, also with what is no event: a comment, a role. The first event counts
   * as well. Until then the limit for the first byte applies.
   */
  readonly onFirstByte?: (() => void) | undefined;
  /** Time in milliseconds that is left until the first byte; the caller ends the request after it. */
  readonly firstByteMs?: number | undefined;
}

/** Whether the model calls tools: as it likes, never, at least one, or the named one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** JSON as the answer's text. */
export interface ResponseFormat {
  /** For the model; `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  /** JSON Schema of an object; undefined for any JSON object. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The upstream guarantees the schema. It accepts only schemas whose objects list every property as required. */
  readonly isStrict?: boolean;
}

export type ModelMessage = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserContent[];
}

export type UserContent =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'file';
      readonly name: string;
      readonly mediaType: string;
      /** Base 64. */
      readonly data: string;
    };

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantContent[];
}

export type AssistantContent =
  | { readonly type: 'text'; readonly text: string }
  | ThinkingContent
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly tool: string;
      /** JSON text, as the model wrote it. */
      readonly args: string;
      /** As of thinking. */
      readonly proof?: unknown;
    };

/** Thinking, returned to the model unchanged during its turn, because some models require it. */
export interface ThinkingContent {
  readonly type: 'thinking';
  readonly text: string;
  /** Data that the adapter needs to send it back, such as a signature. Any JSON. */
  readonly proof?: unknown;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

/** Why an answer ended. */
export type EndReason = 'stop' | 'tool_calls' | 'length' | 'refusal';

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** A block of thinking is complete. */
  | { readonly type: 'thinking_end'; readonly proof?: unknown }
  /** A call starts; its arguments follow in pieces, then as a whole. */
  | { readonly type: 'tool_start'; readonly id: string; readonly tool: string }
  | { readonly type: 'tool_delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly tool: string;
      readonly args: string;
      readonly proof?: unknown;
    }
  /** The last event. */
  | {
      readonly type: 'end';
      readonly reason: EndReason;
      readonly usage: TokenUsage;
      /** Name of the model that answered, where it is not the one that was asked. */
      readonly model?: string;
    };

/** Tokens of one answer. */
export interface TokenUsage {
  /** All input tokens, cached or not. */
  readonly input: number;
  /** Input tokens read from the upstream's cache. */
  readonly cachedInput: number;
  /** Input tokens written to the upstream's cache. */
  readonly cacheWrite: number;
  readonly output: number;
}

export const NO_USAGE: TokenUsage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };
