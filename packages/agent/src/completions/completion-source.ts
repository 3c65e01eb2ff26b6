import type { TurnMessage } from '@berth/agent-core';
import { AGENT_LIMITS, type ComponentFrame } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import { type ProduceTurn, produceTurn } from '../turns/produce-turn.ts';
import type { CompletionEnd, CompletionSource } from './completion-chunks.ts';
import { createUsageMeter } from './usage-meter.ts';

export interface CompletionSourceOptions {
  readonly turn: Omit<ProduceTurn, 'history' | 'onUsage'>;
  readonly messages: readonly TurnMessage[];
  readonly runId: string;
  readonly clock: Clock;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/**
 * A turn of which nothing is kept, read at its client's pace. It ends with its client, or at the end of the time that every
 * turn has; then the reason of its end is `length`.
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
