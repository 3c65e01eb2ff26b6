import type { NewMessage } from '@berth/agent-store';
import { AGENT_LIMITS } from '@berth/contract/agent';
import type { Clock, Logger } from '@berth/kit';
import type { LiveRun } from './live-run.ts';
import { logFailure } from './log-failure.ts';
import type { EndedRun, StartRun } from './run-engine.ts';

const STATUS_OF_ABORT = {
  stopped: 'stopped',
  left: 'interrupted',
  closing: 'interrupted',
  lost: 'interrupted',
  budget: 'failed',
} as const;

/**
 * Runs the producer to its end. Returns how it ended, and the messages of the turn before the one made of its frames. Never
 * rejects.
 */
export async function driveRun(
  run: LiveRun,
  produce: StartRun['produce'],
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
) {
  const messages: NewMessage[] = [];
  let costUsd = 0;
  let isFailed = false;
  const log = logger.child({ runId: run.id, chatId: run.chatId });
  const budget = clock.setTimer(AGENT_LIMITS.budgetMs, () => run.abort('budget'));
  try {
    const context = {
      runId: run.id,
      signal: run.signal,
      addCost(usd: number) {
        // NaN or Infinity would spoil the whole sum.
        if (Number.isFinite(usd)) costUsd += Math.max(0, usd);
      },
      addMessage: (message: NewMessage) => void messages.push(message),
    };
    for await (const frame of produce(context)) run.push(frame);
  } catch (error) {
    if (!run.abortReason) {
      isFailed = true;
      run.push({ type: 'callout', style: 'error', callout: logFailure(error, log) });
    }
  } finally {
    budget.cancel();
  }
  if (run.abortReason === 'budget') {
    const what = `The turn was ended after ${AGENT_LIMITS.budgetMs / 60_000} minutes.`;
    run.push({ type: 'callout', style: 'error', callout: logFailure(run.signal.reason, log, what) });
  }
  run.flush();
  const status: EndedRun['status'] = isFailed ? 'failed' : run.abortReason ? STATUS_OF_ABORT[run.abortReason] : 'done';
  return { status, messages, costMicroUsd: Math.round(costUsd * 1e6) };
}
