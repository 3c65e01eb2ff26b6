import type { HandlerContext, OfferedTools, Usage } from '@berth/agent-core';
import type { EndReason, Model, ModelMessage, ToolChoice, ToolMessage } from '../models/model.ts';
import type { ModelCall } from './ask-model.ts';

/** A step of a turn that has ended: one answer of the model, and the results of the tools that it called. */
export interface LoopStep {
  /** From 0. */
  readonly stepNumber: number;
  readonly text: string;
  readonly toolCalls: readonly Pick<ModelCall, 'id' | 'tool' | 'args'>[];
  readonly toolResults: readonly ToolMessage[];
  readonly reason: EndReason;
  readonly usage: Usage;
}

/** Input of `prepareStep`. */
export interface StepState {
  /** From 0. */
  readonly stepNumber: number;
  /** The steps before this one. */
  readonly steps: readonly LoopStep[];
  /** The conversation as the model would get it. */
  readonly messages: readonly ModelMessage[];
  readonly context: HandlerContext;
}

/** Options of one step; absent ones are those of the loop. */
export interface StepSettings {
  readonly model?: Model;
  readonly system?: string;
  readonly messages?: readonly ModelMessage[];
  /** Names of the tools that the model is offered, of those that the loop has. */
  readonly activeTools?: readonly string[];
  readonly toolChoice?: ToolChoice;
}

/** Decides on the next step, e.g. a stronger model after three steps. */
export type PrepareStep = (state: StepState) => StepSettings | undefined | Promise<StepSettings | undefined>;

/** True ends the turn; `steps` has at least one step, the last of them with tool calls. */
export type StopCondition = (state: { readonly steps: readonly LoopStep[] }) => boolean | Promise<boolean>;

/** Returns a condition that ends the turn when the model has called one of these tools in its last step. */
export function hasToolCall(...tools: readonly string[]): StopCondition {
  return ({ steps }) => steps.at(-1)?.toolCalls.some(({ tool }) => tools.includes(tool)) === true;
}

/** Returns whether a condition holds. */
export async function isToStop(
  conditions: StopCondition | readonly StopCondition[] = [],
  steps: readonly LoopStep[],
): Promise<boolean> {
  for (const condition of typeof conditions === 'function' ? [conditions] : conditions) {
    if (await condition({ steps })) return true;
  }
  return false;
}

/** Returns the tools of one step. The model can't call another one, even if it knows its name. */
export function activeTools(offered: OfferedTools, names: readonly string[] | undefined): OfferedTools {
  if (!names) return offered;
  return {
    find: (name) => (names.includes(name) ? offered.find(name) : undefined),
    names: offered.names.filter((name) => names.includes(name)),
    list: offered.list.filter(({ name }) => names.includes(name)),
  };
}
