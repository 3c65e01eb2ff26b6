import { LIMITS } from '@berth/contract';
import { createLimiter, describeError, runInBackground, type Timer } from '@berth/kit';
import type { LogInput, LogStore } from '@berth/logstore';
import type { ControlContext } from '../context/control-context.ts';
import type { CronTokenStore } from '../deployments/environment/cron-token-store.ts';
import type { DueRuns } from './due-runs.ts';
import type { AttemptOutcome, ClaimedAttempt, RecordedEnd, RunLeases } from './run-leases.ts';

/** One `POST /cron` to a service. */
export interface CronCall {
  readonly deployment: string;
  /** `X-Cron-Token` */
  readonly token: string;
  /** `X-Cron-Attempt`, from 1. */
  readonly attempt: number;
  /** `X-Cron-Scheduled-Time`, epoch milliseconds. */
  readonly scheduledAtMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends the call through the gateway like any request. Returns the status when the whole answer has arrived.
 * @throws Error when the answer is incomplete, and the signal's reason when that aborts.
 */
export type CallCron = (call: CronCall) => Promise<number>;

/**
 * Runs due schedules.
 *
 * R1 A due run is a row before it is a call, so a crash at any moment loses none.
 * R2 Runs may overlap; no run waits for another.
 * R3 A call takes {@link LIMITS.scheduleCallMs} at most.
 * R4 A server that was paused for a lease makes no call that it had claimed before, and aborts those that another server took over.
 */
export interface ScheduleRunner {
  /** Resumes interrupted runs, then calls due schedules until closed. */
  start(): void;
  /** Checks now for due schedules. */
  wake(): void;
  /**
   * Starts nothing more, gives running calls `waitMs` to end, and aborts the rest, which are retried after
   * the next start. Resolves when all is recorded. Idempotent.
   */
  close(waitMs: number): Promise<void>;
}

export interface ScheduleRunnerOptions extends Pick<ControlContext, 'clock' | 'logger'> {
  readonly due: DueRuns;
  readonly leases: RunLeases;
  readonly tokens: CronTokenStore;
  readonly callCron: CallCron;
  readonly logs: Pick<LogStore, 'append'>;
  /** A third of a lease. */
  readonly heartbeatMs: number;
  /** True when no other server can make attempts on this database. */
  readonly isAlone: boolean;
  /** The longest interval between checks, which bounds how late changes by other processes are seen. */
  readonly pollMs: number;
  /** Concurrent calls; further due runs wait for one to end. */
  readonly maxCalls: number;
}

interface Running {
  readonly done: Promise<void>;
  readonly lost: AbortController;
  /** Monotonic time until which no other server can have taken the attempt over. */
  heldUntilMs: number;
}

const TAKEN_OVER = 'Another server makes this attempt.';

/** A step back of the clock that is more than jitter. */
const BACKWARDS_MS = 1_000;

export function createScheduleRunner(options: ScheduleRunnerOptions): ScheduleRunner {
  const { clock, logger, logs, due, leases, tokens, callCron, heartbeatMs, isAlone, pollMs, maxCalls } = options;
  const closing = new AbortController();
  const calls = new Map<ClaimedAttempt, Running>();
  const ended = () => Promise.all([...calls.values()].map(({ done }) => done));
  // One check at a time.
  const looks = createLimiter({ concurrency: 1 });
  let timer: Timer | undefined;
  let heartbeat: Timer | undefined;
  /** True before the start and while closing. */
  let isStopped = true;
  let closed: Promise<void> | undefined;
  let lastLookMs = 0;

  const call = async (claimed: ClaimedAttempt, lost: AbortSignal): Promise<AttemptOutcome> => {
    const { accountId, deployment, attempt, scheduledAtMs } = claimed;
    const tooLong = new AbortController();
    const ceiling = clock.setTimer(LIMITS.scheduleCallMs, () => tooLong.abort());
    try {
      const token = await tokens.ensure(accountId, deployment, clock.nowMs());
      const signal = AbortSignal.any([tooLong.signal, closing.signal, lost]);
      if (!isAlone && clock.monotonicMs() >= (calls.get(claimed)?.heldUntilMs ?? 0)) throw new Error(TAKEN_OVER);
      const status = await callCron({ deployment, token, attempt, scheduledAtMs, signal });
      return { status, error: status >= 200 && status < 300 ? null : `The service responded with ${status}.` };
    } catch (error) {
      if (closing.signal.aborted) return { status: null, error: 'The platform stopped during this attempt.' };
      if (tooLong.signal.aborted) return { status: null, error: 'The service took longer than 30 minutes.' };
      logger.debug({ deployment, attempt, error: describeError(error) }, 'a scheduled call failed');
      return { status: null, error: `The service did not respond: ${error instanceof Error ? error.message : error}` };
    } finally {
      ceiling.cancel();
    }
  };

  const record = async (claimed: ClaimedAttempt, outcome: AttemptOutcome) => {
    const end = await leases.record(claimed, outcome);
    if (!end || outcome.error === null) return;
    const scope = { account: claimed.accountId, deployment: claimed.deployment };
    void logs.append(scope, [describeFailedAttempt(claimed, outcome.error, end)]);
  };

  const launch = (claimed: ClaimedAttempt, heldUntilMs: number) => {
    const lost = new AbortController();
    const done = call(claimed, lost.signal)
      .then((outcome) => record(claimed, outcome))
      // The lease expires, and the attempt counts as interrupted.
      .catch((error: unknown) =>
        logger.error({ run: claimed.runId, error: describeError(error) }, 'a scheduled call could not be recorded'),
      )
      .finally(() => {
        calls.delete(claimed);
        // There is capacity for a waiting run, or this run needs a retry.
        wake();
      });
    calls.set(claimed, { done, lost, heldUntilMs });
  };

  const look = async () => {
    const now = clock.nowMs();
    if (now < lastLookMs - BACKWARDS_MS) await due.realign();
    lastLookMs = now;
    for (let isDue = true; isDue && !isStopped; ) {
      isDue = (await due.nextMs()) <= clock.nowMs();
      if (isDue) await due.make();
      await launchDue();
    }
  };

  const launchDue = async () => {
    const room = maxCalls - calls.size;
    if (room <= 0 || isStopped || (await leases.nextMs()) > clock.nowMs()) return;
    const heldUntilMs = clock.monotonicMs() + 3 * heartbeatMs;
    for (const claimed of await leases.claim(room)) launch(claimed, heldUntilMs);
  };

  const arm = async () => {
    const tries = calls.size < maxCalls ? await leases.nextMs() : Number.POSITIVE_INFINITY;
    const nextMs = Math.min(await due.nextMs(), tries);
    if (isStopped) return;
    timer?.cancel();
    timer = clock.setTimer(Math.min(pollMs, Math.max(0, nextMs - clock.nowMs())), wake);
  };

  const armLater = () => {
    if (!isStopped) timer = clock.setTimer(pollMs, wake);
  };

  function wake(): void {
    // A check that is waiting already will see the same state.
    if (isStopped || looks.size > 1) return;
    timer?.cancel();
    const work = looks.run(() => look().then(arm));
    runInBackground(
      'schedules',
      work.catch((error: unknown) => {
        armLater();
        throw error;
      }),
      logger,
    );
  }

  const renew = async () => {
    const attempts = [...calls.keys()];
    const heldUntilMs = clock.monotonicMs() + 3 * heartbeatMs;
    const held = new Set(await leases.renew(attempts));
    for (const attempt of attempts) {
      const running = calls.get(attempt);
      if (running && held.has(attempt)) running.heldUntilMs = heldUntilMs;
      else running?.lost.abort(new Error(TAKEN_OVER));
    }
  };
  const beat = () => {
    heartbeat = clock.setTimer(heartbeatMs, () => {
      const work = renew().then(() => leases.takeOver(false).then(wake));
      runInBackground(
        'schedule leases',
        work.finally(() => !closing.signal.aborted && beat()),
        logger,
      );
    });
  };

  async function stop(waitMs: number): Promise<void> {
    // A running check may still begin calls.
    await looks.run(async () => {});
    const alarm = new AbortController();
    await Promise.race([ended(), clock.sleep(waitMs, alarm.signal).catch(() => {})]);
    alarm.abort();
    closing.abort();
    heartbeat?.cancel();
    await ended();
  }

  return {
    start() {
      isStopped = false;
      beat();
      const begin = looks.run(async () => {
        await leases.takeOver(isAlone);
        await due.realign();
      });
      runInBackground('schedules left over', begin, logger);
      wake();
    },
    wake,
    close(waitMs) {
      isStopped = true;
      timer?.cancel();
      closed ??= stop(waitMs);
      return closed;
    },
  };
}

/** Returns the log line of a failed attempt, which says when the next one is. */
export function describeFailedAttempt(
  { attempt, scheduledAtMs }: ClaimedAttempt,
  error: string,
  end: RecordedEnd,
): LogInput {
  const due = new Date(scheduledAtMs).toISOString();
  const next =
    end.nextAttemptAtMs === null
      ? 'No more retries.'
      : `Next attempt at ${new Date(end.nextAttemptAtMs).toISOString()}.`;
  return {
    logName: 'system',
    severity: end.status === 'failed' ? 'ERROR' : 'WARNING',
    message: `Scheduled run of ${due}, try ${attempt} of ${LIMITS.scheduleAttempts}: ${error} ${next}`,
  };
}
