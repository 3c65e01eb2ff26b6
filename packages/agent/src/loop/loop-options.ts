import type { ConnectorTurns } from '@berth/agent-connectors';
import type { HandlerContext, Tool, ToolServices, User } from '@berth/agent-core';
import type { ApprovalStore, SettingStore } from '@berth/agent-store';
import type { Clock } from '@berth/kit';
import type { Model } from '../models/model.ts';
import type { PriceBook } from './price-book.ts';

/** How the built-in loop answers turns. */
export interface LoopOptions {
  readonly model: Model;
  /** What the model is told of itself; a function for what depends on the person or the day. */
  readonly system?: string | ((context: HandlerContext) => string | Promise<string>);
  readonly tools?: readonly Tool[];
  /** Answers of the model in one turn; 50 by default. */
  readonly maxSteps?: number;
  /** Tokens that the model can read at once; of the price file, else 128,000. */
  readonly contextTokens?: number;
  /** What models cost: a book, or the path of a file with one. Without it turns cost 0. */
  readonly prices?: PriceBook | string;
  /** The organisation's switch: false hides a tool, whatever the person chose. */
  isToolAllowed?(tool: Tool, user: User | undefined): boolean | Promise<boolean>;
}

/** What the loop stands on. */
export interface LoopDeps {
  readonly settings: SettingStore;
  readonly approvals: ApprovalStore;
  readonly clock: Clock;
  /** Undefined for an agent without connectors. */
  readonly connectors?: ConnectorTurns | undefined;
  /** Of the person who asks. */
  services(context: HandlerContext): ToolServices;
}
