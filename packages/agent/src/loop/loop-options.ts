import type { ConnectorTurns } from '@berth/agent-connectors';
import type { HandlerContext, Tool, ToolServices, User } from '@berth/agent-core';
import type { ApprovalStore, SettingStore } from '@berth/agent-store';
import type { Clock } from '@berth/kit';
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

/** What the loop needs besides its options. */
export interface LoopDeps {
  readonly settings: SettingStore;
  readonly approvals: ApprovalStore;
  readonly clock: Clock;
  /** Undefined for an agent without connectors. */
  readonly connectors?: ConnectorTurns | undefined;
  /** Returns the caller's files and app data. */
  services(context: HandlerContext): ToolServices;
}
