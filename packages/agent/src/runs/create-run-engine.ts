import type { BegunRun, OwnerKey, StoredRun } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { describeError, runInBackground, type Timer } from '@berth/kit';
import { createRunReader, type RunSource } from './create-run-reader.ts';
import { driveRun } from './drive-run.ts';
import { createFrameLogger } from './frame-logger.ts';
import { createLiveRun, type LiveRun, startAfter } from './live-run.ts';
import { createLoggedRun } from './logged-run.ts';
import type { FrameCursor, ProducerContext, RunEngineOptions, RunReader, StartRun } from './run-engine.ts';

import { settleLiveRun } from './settle-run.ts';
import { type ContinuedRun, isContinuable, takeOverRun } from './take-over-run.ts';

import { createFlushQueue } from './text-coalescer.ts';

/** How often expired frames are deleted and runs of dead instances are settled. */
const SWEEP_MS = 10_000;
const SWEEP_RUNS = 100;

/** A run of this process, with its readers. */
interface OwnRun {
  readonly run: LiveRun;
  readonly record: Pick<StoredRun, 'attempt' | 'startedAtMs' | 'request' | 'isStopRequested'>;
  isDetached: boolean;
  readers: number;
  isSettling: boolean;
}

/** A run of this process to produce. */
interface DrivenRun extends Pick<StartRun, 'produce' | 'onSettled'>, Partial<Pick<ProducerContext, 'isFirstMessage'>> {
  readonly run: LiveRun;
  readonly record: OwnRun['record'];
  /** True by default: a run that was just taken over has no reader yet. */
  readonly isDetached?: boolean;
}

/** Runs, logs and follows the turns of an agent, with one live run per chat over all instances. */
export type RunEngine = ReturnType<typeof createRunEngine>;

/**
 * Creates the engine of runs. Invariants:
 *
 * 1. A chat has one live run, no matter who starts it; the store enforces that.
 * 2. A run is settled once: its status, messages and last frames become durable together, or not at all.
 * 3. A frame is durable 100 ms after it was produced, as long as the store can be written.
 * 4. A run is produced by one process at a time. When that one ends, another one takes the run over, and from then on nothing
 *    that the first one still writes takes effect.
 * 5. A reader gets each frame once, in order and without gaps, and the end after the run is settled.
 */
export function createRunEngine(options: RunEngineOptions) {
  const { store, clock, ids, logger, instance } = options;
  const live = new Map<string, OwnRun>();
  /** Takeovers in progress, by run. */
  const takingOver = new Map<string, Promise<ContinuedRun | undefined>>();
  const readers = new Set<ReturnType<typeof createRunReader>>();
  const working = new Set<Promise<unknown>>();
  const logFrames = createFrameLogger(store, logger);
  const flushQueue = createFlushQueue();
  let timer: Timer | undefined;
  let isClosed = false;
  let heartbeatDueMs = 0;
  let sweepTimer: Timer | undefined;
  const onLost = (runIds: readonly string[]) => {
    for (const id of runIds) live.get(id)?.run.abort('lost');
  };
  const heartbeats = options.startHeartbeats?.(onLost);

  const staleBeforeMs = () => clock.nowMs() - AGENT_LIMITS.staleMs;
  /** When this instance was cut off from the store, or didn't run: others may have been cut off with it, and be alive. */
  let cutOffAtMs = Number.NEGATIVE_INFINITY;
  const noteCutOff = () => {
    cutOffAtMs = clock.monotonicMs();
  };
  const canTellDead = () => clock.monotonicMs() - cutOffAtMs > AGENT_LIMITS.staleMs;
  // Stryker disable next-line EqualityOperator: the store refuses to settle a run that is exactly as old.
  const isStale = (run: StoredRun) => canTellDead() && run.heartbeatAtMs < staleBeforeMs();
  const takeOver = async (stale: StoredRun, mayContinue = !isClosed): Promise<StoredRun> => {
    // A run of this process is alive, however late its heartbeat is.
    if (live.has(stale.id)) return stale;
    const inProgress = takingOver.get(stale.id);
    const work = inProgress ?? takeOverRun(stale, { ...options, flushQueue }, mayContinue);
    takingOver.set(stale.id, work);
    try {
      const continued = await work;
      if (continued && !inProgress) {
        heartbeats?.add(stale.id);
        heartbeats?.begun(stale.id);
        drive(continued);
      }
    } finally {
      takingOver.delete(stale.id);
    }
    return (await store.find(stale.owner, stale.id)) ?? stale;
  };
  const takeOverIfStale = async (run: StoredRun): Promise<StoredRun> =>
    run.status === 'running' && isStale(run) ? takeOver(run) : run;

  /** Work that `close` waits for. */
  const keep = <Result>(work: Promise<Result>): Promise<Result> => {
    working.add(work);
    const done = () => void working.delete(work);
    work.then(done, done);
    return work;
  };

  /** Runs every 100 ms while there are runs or readers. */
  const tick = async () => {
    // Frames of a run that is being settled become durable with its end.
    await logFrames([...live.values()].filter(({ isSettling }) => !isSettling).map(({ run }) => run));
    if (live.size > 0) {
      for (const id of await store.stopRequests(instance)) live.get(id)?.run.abort('stopped');
      if (!heartbeats && clock.monotonicMs() >= heartbeatDueMs) {
        heartbeatDueMs = clock.monotonicMs() + AGENT_LIMITS.heartbeatMs;
        onLost(await store.heartbeat([...live.keys()], clock.nowMs(), instance));
      }
    }
    for (const reader of readers) reader.cutIfSlow();
  };
  const scheduleTick = () => {
    if (timer || (live.size === 0 && readers.size === 0)) return;
    timer = clock.setTimer(AGENT_LIMITS.frameBatchMs, () => {
      const work = tick()
        .catch((error) => {
          noteCutOff();
          logger.error({ error: describeError(error) }, 'heartbeats of turns failed');
        })
        .finally(() => {
          timer = undefined;
          scheduleTick();
        });
      runInBackground('keep up turns', keep(work), logger);
    });
  };
  const sweep = async () => {
    await store.purgeFrames(clock.nowMs());
    if (!canTellDead()) return;
    for (const run of await store.listStale(staleBeforeMs(), SWEEP_RUNS)) if (!isClosed) await takeOver(run);
  };
  let sweepDueMs = clock.monotonicMs();
  const keepSwept = () => {
    if (clock.monotonicMs() - sweepDueMs > AGENT_LIMITS.staleMs) noteCutOff();
    const work = sweep()
      .catch((error) => {
        noteCutOff();
        throw error;
      })
      .finally(() => {
        if (isClosed) return;
        sweepDueMs = clock.monotonicMs() + SWEEP_MS;
        sweepTimer = clock.setTimer(SWEEP_MS, keepSwept);
      });
    runInBackground('sweep turns', keep(work), logger);
  };
  keepSwept();

  const openReader = (runId: string, source: RunSource, afterSeq: number): RunReader => {
    const own = live.get(runId);
    if (own) own.readers++;
    const reader = createRunReader({
      runId,
      source,
      afterSeq,
      clock,
      onEnd(end) {
        readers.delete(reader);
        if (!own) return;
        own.readers--;
        // A reader that was cut off may reconnect, so the run must go on.
        if (end === 'too_slow') own.isDetached = true;
        else if (own.readers === 0 && !own.isDetached) own.run.abort('left');
      },
    });
    readers.add(reader);
    scheduleTick();
    return reader;
  };

  /** Resolves when the run is stored; `durable` when it is on the disk, too. */
  const begin = async ({ owner, chatId, message, isContinuation, request }: StartRun) => {
    const id = ids.next('run');
    // Begins before the run is stored: the answer of the store may wait for a tool that blocks this thread.
    heartbeats?.add(id);
    let nowMs = clock.nowMs();
    try {
      for (;;) {
        if (isClosed) throw createError('unavailable', 'The agent is shutting down. Try again.');
        nowMs = clock.nowMs();
        const committed = Promise.withResolvers<BegunRun>();
        const stored = store.begin(
          {
            id,
            owner,
            chatId,
            instance,
            nowMs,
            staleBeforeMs: staleBeforeMs(),
            ...(message && { message }),
            ...(isContinuation && { isContinuation }),
            ...(request !== undefined && { request }),
          },
          committed.resolve,
        );
        const begun = await Promise.race([committed.promise, stored]);
        if (begun.result === 'begun') {
          heartbeats?.begun(id);
          return { id, nowMs, isFirstMessage: begun.isFirstMessage, durable: stored };
        }
        if (begun.result === 'busy' || !canTellDead() || live.has(begun.run.id)) throw busyError(chatId);
        // What the person says now goes before the rest of an answer that they have waited for in vain.
        await takeOver(begun.run, false);
      }
    } catch (error) {
      // A run that was stored although its answer was lost becomes stale, and is ended by the next sweep.
      heartbeats?.remove(id);
      throw error;
    }
  };

  /** Produces a run to its end. */
  const drive = (given: DrivenRun) => {
    const { run, record, produce, onSettled, isFirstMessage = false } = given;
    const { id, chatId } = run;
    const own: OwnRun = { run, record, isDetached: given.isDetached ?? true, readers: 0, isSettling: false };
    live.set(id, own);
    if (live.size === 1) heartbeatDueMs = clock.monotonicMs() + AGENT_LIMITS.heartbeatMs;
    if (isClosed) leave(own);
    scheduleTick();
    const saved = async () => {
      run.flush();
      for (;;) {
        run.signal.throwIfAborted();
        if (!run.unlogged()) return;
        await logFrames([run]);
        if (run.unlogged()) await clock.sleep(AGENT_LIMITS.frameBatchMs);
      }
    };
    // A turn of which nothing is recorded begins again, with its first frame.
    const resumed = run.lastSeq === 0 ? undefined : { parts: [...run.parts] };
    const work = async () => {
      const { startedAtMs } = record;
      const context = { startedAtMs, saved, isFirstMessage, ...(resumed && { resumed }) };
      const end = await driveRun(run, produce, { clock, logger, ...context });
      own.isSettling = true;
      // A run that is handed over must not look alive any longer.
      if (run.abortReason === 'handed_over') heartbeats?.remove(id);
      const status = await settleLiveRun(run, end, logFrames, { ...options, mayWait: () => !isClosed });
      live.delete(id);
      run.end(status);
      heartbeats?.remove(id);
      const ended = status === 'moved' ? 'interrupted' : status;
      onSettled?.({ runId: id, chatId, status: ended, parts: run.parts, costUsd: run.costMicroUsd / 1e6 });
    };
    runInBackground('run a turn', keep(work()), logger);
  };

  /** Ends a run because this process ends; another one continues it, if it can be continued. */
  const leave = ({ run, record, isDetached }: OwnRun) =>
    run.abort(isDetached && isContinuable(record, options) ? 'handed_over' : 'closing');

  const start = async (given: StartRun): Promise<RunReader> => {
    const { owner, chatId, isDetached, produce, onSettled, request } = given;
    const { id, nowMs, isFirstMessage, durable } = await begin(given);
    const run = createLiveRun({ id, owner, chatId, clock, store, flushQueue });
    const record = {
      attempt: 1,
      startedAtMs: nowMs,
      isStopRequested: false,
      ...(request !== undefined && { request }),
    };
    drive({ run, record, produce, isDetached, isFirstMessage, ...(onSettled && { onSettled }) });
    const reader = openReader(id, run, 0);
    try {
      // The model is asked meanwhile; no one sees what it says before.
      await durable;
    } catch (error) {
      run.abort('lost');
      reader.close();
      throw error;
    }
    return reader;
  };

  const follow = async (owner: OwnerKey, chatId: string, after?: FrameCursor): Promise<RunReader | undefined> => {
    const record = await store.findLast(owner, chatId);
    if (!record?.hasFrames) return undefined;
    const { id } = record;
    const cursor = after?.runId === id ? after : { seq: 0 };
    const own = live.get(id);
    if (own) return openReader(id, own.run, own.run.startOf(cursor));
    const current = await takeOverIfStale(record);
    const source = createLoggedRun(current, { store, clock, takeOverIfStale });
    return openReader(id, source, startAfter(cursor, current));
  };

  const stop = async (owner: OwnerKey, chatId: string): Promise<boolean> => {
    const record = await store.findLast(owner, chatId);
    if (record?.status !== 'running') return false;
    const own = live.get(record.id);
    if (own) {
      own.run.abort('stopped');
      return true;
    }
    if (!isStale(record)) return store.requestStop(owner, record.id);
    await takeOver(record, false);
    return false;
  };

  const reconcile = async (owner: OwnerKey, chatId: string): Promise<void> => {
    const record = await store.findLast(owner, chatId);
    if (record) await takeOverIfStale(record);
  };

  return {
    /** Whether a run of this process isn't settled yet. */
    get hasLiveRuns() {
      return live.size > 0;
    },
    /**
     * Starts a run and returns its first reader.
     * @throws `conflict` with the body of docs/contract/agent-api.md §2 while the chat has a live run; `unavailable` after `close`.
     */
    start: (run: StartRun) => keep(start(run)),
    /**
     * Returns a reader of the chat's last run, on whichever instance it runs. Reading starts after `after`, or at the first frame
     * when `after` names another run. Undefined when the chat has no run whose frames are still kept.
     */
    follow: (owner: OwnerKey, chatId: string, after?: FrameCursor) => keep(follow(owner, chatId, after)),
    /** Stops the chat's live run, on whichever instance it runs; false when there is none. */
    stop: (owner: OwnerKey, chatId: string) => keep(stop(owner, chatId)),
    /**
     * Takes over the chat's run if its producer is gone: it is continued here, or what it said is among the messages then. For
     * readers of a chat whose run reads as interrupted but is recorded as running; otherwise the sweep does it within seconds.
     */
    reconcile: (owner: OwnerKey, chatId: string) => keep(reconcile(owner, chatId)),
    /** Accepts no new runs, lets live runs finish for `drainMs`, then interrupts them and stores what they produced. */
    async close({ drainMs = 0 }: { readonly drainMs?: number } = {}): Promise<void> {
      isClosed = true;
      sweepTimer?.cancel();
      const drained = clock.setTimer(drainMs, () => {
        for (const own of live.values()) leave(own);
      });
      while (working.size > 0) await Promise.allSettled(working);
      drained.cancel();
      timer?.cancel();
      const last = [...readers];
      for (const reader of last) reader.close();
      // The caller may close the store after this.
      await Promise.all(last.map((reader) => reader.whenIdle()));
    },
  };
}

function busyError(chatId: string): Error {
  return createError('conflict', 'This chat has a running turn. Wait for it to finish, or stop it.', {
    details: { retryAfterSeconds: 2, body: { error: 'run_in_progress', chat_id: chatId } },
  });
}
