import type { TurnMessage } from '@berth/agent-core';
import { AGENT_LIMITS, type ComponentFrame } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import { type ProduceTurn, produceTurn } from '../turns/produce-turn.ts';
import type { CompletionEnd, CompletionSource } from './completion-chunks.ts';
import { createUsageMeter } from './usage-meter.ts';

/** Options of {@link completionSource}. */
export interface CompletionSourceOptions {
  readonly turn: Omit<ProduceTurn, 'history' | 'onUsage'>;
  readonly messages: readonly TurnMessage[];
  readonly runId: string;
  readonly clock: Clock;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Runs a turn without storing it, at the pace of its consumer. The turn ends early when the client disconnects, or when its
 * time budget is used up, with the finish reason `length`.
 */
export async function* completionSource({
  turn,
  messages,
  runId,
  clock,
  signal,
}: CompletionSourceOptions): CompletionSource {
  const meter = createUsageMeter(messages);
  const budget = new AbortController();
  const timer = clock.setTimer(AGENT_LIMITS.budgetMs, () => budget.abort(new Error('the time of the turn is over')));
  const frames = produceTurn(
    { ...turn, history: () => messages, onUsage: (usage) => meter.report(usage) },
    { runId, signal: AbortSignal.any([signal, budget.signal]), addCost: () => {}, addMessage: () => {} },
  );
  try {
    for await (const frame of frames) {
      if (!isComponent(frame)) continue;
      meter.count(frame);
      yield frame;
    }
    return { finishReason: budget.signal.aborted ? 'length' : 'stop', usage: meter.total() } satisfies CompletionEnd;
  } finally {
    timer.cancel();
  }
}

function isComponent(frame: { readonly type: string }): frame is ComponentFrame {
  return frame.type !== 'chat_id' && frame.type !== 'ping' && frame.type !== 'ui';
}
