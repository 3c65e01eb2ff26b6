import type { OwnerKey } from '@berth/agent-store';
import type { Logger } from '@berth/kit';
import type { ActiveWorkspace } from '../identity/active-workspace.ts';
import type { User } from '../identity/user.ts';
import type { HandlerItem } from './component.ts';
import type { TurnMessage } from './turn-message.ts';

/** Tokens and money of a call of a model; what a turn reports is added up. */
export interface Usage {
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  /** US dollars; absent when it is not known. */
  readonly costUsd?: number;
  /** The tokens are a guess: nobody counted them. */
  readonly isEstimated?: boolean;
}

/** What the caller asked of this turn. Source: docs/contract/agent-api.md §2, the body's fields. */
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
  readonly messages: readonly TurnMessage[];
  /** Undefined without `auth`. */
  readonly user: User | undefined;
  /** The key of what is kept for the user inside of the workspace, e.g. chats; empty without `auth`. */
  readonly ownerKey: OwnerKey;
  readonly chatId: string;
  readonly runId: string;
  readonly workspace: Workspace;
  /** Aborts at stop, at a dropped connection, at the end of the time and at shutdown. Hand it to whatever waits. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly turn: TurnOptions;
  /** Counts what a model's call used into the turn: its chat's cost, and one line of the log at the turn's end. */
  reportUsage(usage: Usage): void;
}

/** The workspace that the caller works in, and where its files are. */
export interface Workspace extends ActiveWorkspace {
  /** Absolute path of the folder. It is made when it is first written to. */
  readonly folder: string;
}

/** What a handler may return at its end; nothing will do. */
export interface TurnResult {
  /** What is kept for the model of later turns and never shown, e.g. a summary of what came before. */
  readonly internal?: readonly { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }[];
}

/**
 * Answers a turn. It may return early, throw (the caller sees a reference, the log the error), or run until its signal.
 * What it returns is a {@link TurnResult}, or anything else, which is not looked at.
 */
export type Handler = (context: HandlerContext) => AsyncIterable<HandlerItem, unknown> | Iterable<HandlerItem, unknown>;
