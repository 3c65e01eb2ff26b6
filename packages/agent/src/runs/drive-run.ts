import type { NewMessage } from '@berth/agent-store';
import { AGENT_LIMITS } from '@berth/contract/agent';
import type { Clock, Logger } from '@berth/kit';
import type { LiveRun } from './live-run.ts';
import { logFailure } from './log-failure.ts';
import type { EndedRun, ProducerContext, StartRun } from './run-engine.ts';

interface DriveOptions extends Pick<ProducerContext, 'resumed' | 'saved' | 'isFirstMessage'> {
  readonly clock: Clock;
  readonly logger: Logger;
  /** When the first attempt began. */
  readonly startedAtMs: number;
}

const STATUS_OF_ABORT = {
  stopped: 'stopped',
  left: 'interrupted',
  closing: 'interrupted',
  lost: 'interrupted',
  handed_over: 'interrupted',
  budget: 'failed',
} as const;

/** How long before a run that was taken over is out of time, counted from its first attempt. */
export function budgetLeftMs(startedAtMs: number, clock: Clock): number {
  return startedAtMs + AGENT_LIMITS.budgetMs - clock.nowMs();
}

/**
 * Runs the producer to its end. Returns how it ended, and the messages of the turn before the one made of its frames. Never
 * rejects.
 */
export async function driveRun(
  run: LiveRun,
  produce: StartRun['produce'],
  { clock, logger, startedAtMs, resumed, saved, isFirstMessage }: DriveOptions,
) {
  const messages: NewMessage[] = [];
  let isFailed = false;
  const log = logger.child({ runId: run.id, chatId: run.chatId });
  const budget = clock.setTimer(Math.max(0, budgetLeftMs(startedAtMs, clock)), () => run.abort('budget'));
  try {
    const context = {
      runId: run.id,
      signal: run.signal,
      isFirstMessage,
      ...(resumed && { resumed }),
      saved,
      addCost: run.addCost,
      addMessage: (message: NewMessage) => void messages.push(message),
      emit: run.push,
    };
    await produce(context);
  } catch (error) {
    if (!run.abortReason) {
      isFailed = true;
      run.push({ type: 'callout', style: 'error', callout: logFailure(error, log) });
    }
  } finally {
    budget.cancel();
  }
  if (run.abortReason === 'budget') {
    const what = `The turn timed out after ${AGENT_LIMITS.budgetMs / 60_000} minutes.`;
    run.push({ type: 'callout', style: 'error', callout: logFailure(run.signal.reason, log, what) });
  }
  run.flush();
  const status: EndedRun['status'] = isFailed ? 'failed' : run.abortReason ? STATUS_OF_ABORT[run.abortReason] : 'done';
  return { status, messages };
}
