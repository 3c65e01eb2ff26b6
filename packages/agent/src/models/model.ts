import type { ModelTool } from '@berth/agent-core';

/**
 * A language model, as the loop sees it. Adapters translate; retrying, counting and paying is done once, around this port.
 */
export interface Model {
  /** Names it in the usage line and in the price file. */
  readonly name: string;
  /**
   * One answer. Leaving the loop early, or the signal, closes the connection.
   * @throws ModelError, and the signal's reason.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  readonly system?: string;
  /** Begins with one of the user, ends with one of the user or with results of tools. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
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

/** Given back as it came while its turn lasts: some models ask for it. */
export interface ThinkingContent {
  readonly type: 'thinking';
  readonly text: string;
  /** What the adapter needs to give it back, such as a signature. Any JSON. */
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
  /** A stretch of thinking is complete. */
  | { readonly type: 'thinking_end'; readonly proof?: unknown }
  /** A call begins: its arguments follow in pieces, then whole. */
  | { readonly type: 'tool_start'; readonly id: string; readonly tool: string }
  | { readonly type: 'tool_delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly tool: string;
      readonly args: string;
      readonly proof?: unknown;
    }
  /** Last of all. */
  | { readonly type: 'end'; readonly reason: EndReason; readonly usage: TokenUsage };

/** Tokens of one answer. */
export interface TokenUsage {
  /** All that was read, cached or not. */
  readonly input: number;
  /** Of `input`: read from the upstream's cache. */
  readonly cachedInput: number;
  /** Of `input`: written to the upstream's cache. */
  readonly cacheWrite: number;
  readonly output: number;
}

export const NO_USAGE: TokenUsage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };
