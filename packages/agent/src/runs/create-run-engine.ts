import type { NewMessage, OwnerKey, RunStore, StoredRun } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { type Clock, describeError, type IdSource, type Logger, runInBackground, type Timer } from '@berth/kit';
import { createRunReader, type OwnedReader, type RunSource } from './create-run-reader.ts';
import { driveRun } from './drive-run.ts';
import { createFrameLogger } from './frame-logger.ts';
import { createLiveRun, type LiveRun } from './live-run.ts';
import { createLoggedRun } from './logged-run.ts';
import type { EndedRun, FrameCursor, RunEngine, RunReader, StartRun } from './run-engine.ts';
import { settleLiveRun, settleStaleRun } from './settle-live-run.ts';

/** How long frames are kept after the end of their run, for readers that reconnect. */
const KEEP_FRAMES_MS = 5 * 60_000;

/** How often expired frames are deleted and runs of dead instances are settled. */
const SWEEP_MS = 10_000;
const SWEEP_RUNS = 100;

export interface RunEngineOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Identifies this process among those that share the store. */
  readonly instance: string;
  /** Returns the messages that a run leaves in its chat. Also called for runs that another instance failed to end. */
  finish(run: EndedRun): readonly NewMessage[];
}

/** A run of this process, with its readers. */
interface OwnRun {
  readonly run: LiveRun;
  isDetached: boolean;
  readers: number;
  isSettling: boolean;
}

/**
 * Creates the engine of runs. Invariants:
 *
 * 1. A chat has one live run, whoever starts it; the store enforces that.
 * 2. A run is settled once: its status, messages and last frames become durable together, or not at all.
 * 3. A frame is durable 100 ms after it was produced, as long as the store can be written.
 * 4. A reader gets each frame once, in order and without gaps, and the end after the run is settled.
 */
export function createRunEngine(options: RunEngineOptions): RunEngine {
  const { store, clock, ids, logger, instance, finish } = options;
  const live = new Map<string, OwnRun>();
  const readers = new Set<OwnedReader>();
  const working = new Set<Promise<unknown>>();
  const frames = createFrameLogger(store, logger);
  let timer: Timer | undefined;
  let isClosed = false;
  let heartbeatDueMs = 0;
  let sweepTimer: Timer | undefined;

  const staleBeforeMs = () => clock.nowMs() - AGENT_LIMITS.staleMs;
  const isStale = (run: StoredRun) => run.heartbeatAtMs < staleBeforeMs();
  const settleStale = async (run: StoredRun): Promise<StoredRun> => {
    const nowMs = clock.nowMs();
    const keepFramesUntilMs = nowMs + KEEP_FRAMES_MS;
    const isMine = await settleStaleRun(run, {
      store,
      staleBeforeMs: staleBeforeMs(),
      nowMs,
      keepFramesUntilMs,
      finish,
    });
    if (isMine) logger.warn({ runId: run.id, chatId: run.chatId, instance: run.instance }, 'turn was interrupted');
    return (await store.find(run.owner, run.id)) ?? { ...run, status: 'interrupted' };
  };

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
    await frames.log([...live.values()].filter(({ isSettling }) => !isSettling).map(({ run }) => run));
    if (live.size > 0) {
      for (const id of await store.stopRequests(instance)) live.get(id)?.run.abort('stopped');
      if (clock.monotonicMs() >= heartbeatDueMs) {
        heartbeatDueMs = clock.monotonicMs() + AGENT_LIMITS.heartbeatMs;
        for (const id of await store.heartbeat([...live.keys()], clock.nowMs())) live.get(id)?.run.abort('lost');
      }
    }
    for (const reader of readers) reader.cutIfSlow();
  };
  const scheduleTick = () => {
    if (timer || (live.size === 0 && readers.size === 0)) return;
    timer = clock.setTimer(AGENT_LIMITS.frameBatchMs, () => {
      const work = tick()
        .catch((error) => logger.error({ error: describeError(error) }, 'turns can not be kept up'))
        .finally(() => {
          timer = undefined;
          scheduleTick();
        });
      runInBackground('keep up turns', keep(work), logger);
    });
  };
  const sweep = async () => {
    await store.purgeFrames(clock.nowMs());
    for (const run of await store.listStale(staleBeforeMs(), SWEEP_RUNS)) await settleStale(run);
  };
  const keepSwept = () => {
    const work = sweep().finally(() => {
      if (!isClosed) sweepTimer = clock.setTimer(SWEEP_MS, keepSwept);
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

  const begin = async (owner: OwnerKey, chatId: string, message: StartRun['message']): Promise<string> => {
    const id = ids.next('run');
    for (;;) {
      if (isClosed) throw createError('unavailable', 'The agent is shutting down; try again.');
      const nowMs = clock.nowMs();
      const begun = await store.begin({
        id,
        owner,
        chatId,
        instance,
        nowMs,
        staleBeforeMs: staleBeforeMs(),
        ...(message && { message }),
      });
      if (begun.result === 'begun') return id;
      if (begun.result === 'busy') throw busyError(chatId);
      await settleStale(begun.run);
    }
  };

  const start = async ({ owner, chatId, message, isDetached, produce }: StartRun): Promise<RunReader> => {
    const id = await begin(owner, chatId, message);
    const run = createLiveRun({ id, owner, chatId, clock, store });
    const own: OwnRun = { run, isDetached, readers: 0, isSettling: false };
    live.set(id, own);
    if (live.size === 1) heartbeatDueMs = clock.monotonicMs() + AGENT_LIMITS.heartbeatMs;
    if (isClosed) run.abort('closing');
    const reader = openReader(id, run, 0);
    const work = async () => {
      const end = await driveRun(run, produce, { clock, logger });
      own.isSettling = true;
      run.end(await settleLiveRun(run, end, { store, frames, clock, logger, finish, keepFramesMs: KEEP_FRAMES_MS }));
      live.delete(id);
    };
    runInBackground('run a turn', keep(work()), logger);
    return reader;
  };

  const follow = async (owner: OwnerKey, chatId: string, after?: FrameCursor): Promise<RunReader | undefined> => {
    let record = await store.findLast(owner, chatId);
    if (!record?.hasFrames) return undefined;
    const afterSeq = after?.runId === record.id ? after.seq : 0;
    const own = live.get(record.id);
    if (own) return openReader(record.id, own.run, afterSeq);
    if (record.status === 'running' && isStale(record)) record = await settleStale(record);
    return openReader(record.id, createLoggedRun({ run: record, store, clock, settleStale, isStale }), afterSeq);
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
    await settleStale(record);
    return false;
  };

  const reconcile = async (owner: OwnerKey, chatId: string): Promise<void> => {
    const record = await store.findLast(owner, chatId);
    if (record?.status === 'running' && !live.has(record.id) && isStale(record)) await settleStale(record);
  };

  return {
    start: (run) => keep(start(run)),
    follow: (owner, chatId, after) => keep(follow(owner, chatId, after)),
    stop: (owner, chatId) => keep(stop(owner, chatId)),
    reconcile: (owner, chatId) => keep(reconcile(owner, chatId)),
    async close({ drainMs = 0 } = {}) {
      isClosed = true;
      sweepTimer?.cancel();
      const drained = clock.setTimer(drainMs, () => {
        for (const { run } of live.values()) run.abort('closing');
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
  return createError('conflict', 'This chat has a turn that runs. Wait for its end, or stop it.', {
    details: { retryAfterSeconds: 2, body: { error: 'run_in_progress', chat_id: chatId } },
  });
}
