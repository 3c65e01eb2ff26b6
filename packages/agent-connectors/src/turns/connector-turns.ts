import type { HandlerContext, OfferedTools, Tool } from '@berth/agent-core';
import type { UiFrame } from '@berth/contract/agent';

/** Connectors, as turns use them. */
export interface ConnectorTurns {
  /** Returns the user's connectors for a turn; undefined when none applies. */
  open(context: HandlerContext): Promise<ConnectorTurn | undefined>;
}

/** The contribution of connectors to a turn. */
export interface ConnectorTurn {
  /** Tools of the connectors that are connected and on. */
  readonly tools: readonly Tool[];
  /** Cards that ask the user to connect the connectors mentioned in the message. */
  readonly cards: readonly UiFrame[];
  /** Notes for the model, before the user's message. */
  readonly notes: readonly string[];
  /** Message to the user that ends the turn without a model call. */
  readonly refusal?: string;
  /** Returns the tools that the model is told about at once; the others can be found with a search tool. */
  defer(offered: OfferedTools): OfferedTools;
}
