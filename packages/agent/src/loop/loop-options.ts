import type { Component, HandlerContext, Tool, TurnResult, User } from '@berth/agent-core';
import type { Model } from '../models/model.ts';
import type { PriceBook } from './price-book.ts';

/** Options of the built-in loop. */
export interface LoopOptions {
  readonly model: Model;
  /** The system prompt, or a function that makes it for each turn. */
  readonly system?: string | ((context: HandlerContext) => string | Promise<string>);
  readonly tools?: readonly Tool[];
  /** Most answers of the model in one turn; 50 by default. */
  readonly maxSteps?: number;
  /** The model's context window in tokens; by default from the price file, else 128,000. */
  readonly contextTokens?: number;
  /** Prices of models: a book, or the path of a file with one. Without it turns cost 0. */
  readonly prices?: PriceBook | string;
  /** The organization's switch: false hides a tool, whatever the person chose. */
  isToolAllowed?(tool: Tool, user: User | undefined): boolean | Promise<boolean>;
}

/** A handler that also tells, when it ends, what to keep for later turns. */
export type LoopHandler = (context: HandlerContext) => AsyncGenerator<string | Component, TurnResult>;
