import type { ConnectorTurn } from '@berth/agent-connectors';
import { type Component, type HandlerContext, type ToolContext, ToolError } from '@berth/agent-core';
import type { Part } from '@berth/contract/agent';
import { createLimiter, type Limiter } from '@berth/kit';
import type { DecidedCall } from '../approvals/approvals.ts';
import type { LoopOptions } from './loop-options.ts';
import type { PriceBook } from './price-book.ts';

/** State shared by the loops of a turn and its sub-agents. */
export interface TurnScope {
  /** Ids of steps, of this turn and of those before it in the chat. */
  readonly taken: Set<string>;
  /** Calls that change something run one after the other, in the whole turn. */
  readonly changes: Limiter;
  /** Runs of sub-agents so far. */
  subAgentRuns: number;
}

/** Options of a loop that its sub-agents inherit. */
export interface FrameOptions extends Pick<LoopOptions, 'model' | 'maxTries' | 'firstByteMs' | 'isToolAllowed'> {
  readonly prices: PriceBook | undefined;
}

/** A loop that runs, as the tools that it calls see it. */
export interface LoopFrame {
  readonly scope: TurnScope;
  readonly context: HandlerContext;
  /** Ids of the calls that lead to this loop; empty for the turn's own. */
  readonly path: readonly string[];
  /** The loop's options; sub-agents use its model and prices by default, and its switch always. */
  readonly options: FrameOptions;
  readonly connected: ConnectorTurn | undefined;
  /** Earlier steps and decisions of a call that continues after an approval. */
  readonly suspended?: SuspendedCall;
}

/** A call of a sub-agent that waited for a decision. */
export interface SuspendedCall {
  /** The steps that the sub-agent and its own sub-agents made. */
  readonly parts: readonly Part[];
  /** Calls below this one. Their ids are paths: one id for each level. */
  readonly decided: readonly DecidedCall[];
}

/** Creates what the loops of a turn share. */
export function createTurnScope(ids: Iterable<string>): TurnScope {
  return { taken: new Set(ids), changes: createLimiter({ concurrency: 1 }), subAgentRuns: 0 };
}

const FRAME = Symbol.for('@berth/agent/loop-frame');

interface FramedContext extends ToolContext {
  readonly [FRAME]?: LoopFrame;
}

/** Returns the context of a tool with its loop's frame inside. */
export function withFrame<Context extends object>(context: Context, frame: LoopFrame): Context {
  return { ...context, [FRAME]: frame };
}

/** Returns the frame of the loop that called a tool. @throws ToolError for a call by something else. */
export function frameOf(context: ToolContext): LoopFrame {
  const frame = (context as FramedContext)[FRAME];
  if (frame) return frame;
  throw new ToolError('A sub-agent can only be called by the loop of an agent.');
}

/** Thrown by a call that waits for a person: its cards are shown, and the turn ends after the calls beside it. */
export class CallSuspended extends Error {
  override readonly name = 'CallSuspended';
  readonly questions: readonly Component[];

  constructor(questions: readonly Component[]) {
    super('The call waits for a person.');
    this.questions = questions;
  }
}

/** Returns the id under which an approval is stored: the path of a call inside sub-agents. */
export function pathText(path: readonly string[]): string {
  return path.map(encodeURIComponent).join('/');
}

/** Returns the path of a stored id. */
export function parsePath(text: string): readonly string[] {
  return text.split('/').map(decodeURIComponent);
}

/** Returns the steps below a step: those of a sub-agent, and of sub-agents that it called. */
export function partsBelow(parts: readonly Part[], stepId: string): readonly Part[] {
  const ids = new Set([stepId]);
  return parts.filter((part) => {
    if (part.type !== 'step' || part.parent === undefined || !ids.has(part.parent)) return false;
    if (part.id !== undefined) ids.add(part.id);
    return true;
  });
}
