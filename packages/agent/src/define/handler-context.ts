import type { ChatMessage } from '@berth/contract/agent';
import type { Logger } from '@berth/kit';
import type { HandlerItem } from './component.ts';
import type { User } from './user.ts';

/** Tokens and money of a call of a model; what a turn reports is added up. */
export interface Usage {
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  /** US dollars. */
  readonly costUsd?: number;
}

/** What the caller asked of this turn. Source: spec agent-api 2, the body's fields. */
export interface TurnOptions {
  readonly disabledTools: readonly string[];
  /** Keys of approvals given with the message, for this turn only. */
  readonly approvals: readonly string[];
  /** False: every write asks. */
  readonly auto: boolean;
  readonly connectors: readonly string[];
}

/** What a handler is given. */
export interface HandlerContext {
  /** The conversation up to and with the message to answer, oldest first. */
  readonly messages: readonly ChatMessage[];
  /** Undefined without `auth`. */
  readonly user: User | undefined;
  readonly chatId: string;
  readonly workspace: Workspace;
  /** Aborts at stop, at a dropped connection, at the end of the time and at shutdown. Hand it to whatever waits. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly turn: TurnOptions;
  /** Counts what a model's call cost into the turn. */
  reportUsage(usage: Usage): void;
}

/** Where the files of the caller are. */
export interface Workspace {
  /** `u-<user id>`. */
  readonly id: string;
  /** Absolute path of the folder. It is made when it is first written to. */
  readonly folder: string;
}

/** Answers a turn. It may return early, throw (the caller sees a reference, the log the error), or run until its signal. */
export type Handler = (context: HandlerContext) => AsyncIterable<HandlerItem> | Iterable<HandlerItem>;
