import type { HandlerContext, OfferedTools, Tool } from '@berth/agent-core';
import type { UiFrame } from '@berth/contract/agent';

/** Connectors, as turns use them. */
export interface ConnectorTurns {
  /** What the person's connectors are in this turn; undefined when there is nothing of them in it. */
  open(context: HandlerContext): Promise<ConnectorTurn | undefined>;
}

export interface ConnectorTurn {
  /** Of those that are connected and on. */
  readonly tools: readonly Tool[];
  /** Asks to connect what the person mentioned and has not connected. */
  readonly cards: readonly UiFrame[];
  /** For the model, before the person's message. */
  readonly notes: readonly string[];
  /** Why there is nothing to ask the model, for the person; the turn ends with it. */
  readonly refusal?: string;
  /** Of what was decided to be offered, what the model is told of at once. */
  defer(offered: OfferedTools): OfferedTools;
}
