import { Worker } from 'node:worker_threads';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { HeartbeatReport, HeartbeatRequest, Heartbeats, HeartbeatThreadData } from './heartbeats.ts';

/** Options of {@link startHeartbeatThread}. */
export interface HeartbeatThreadOptions extends Omit<HeartbeatThreadData, 'nowMs'> {
  /** The module of the thread, `heartbeat-thread.ts`. */
  readonly program: URL;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with runs that another instance has ended or taken over. */
  onLost(runIds: readonly string[]): void;
}

/** Pause before a thread that failed is started again. */
const RESTART_MS = 1_000;
/** Time for a heartbeat that is being written when the agent closes. */
const CLOSE_MS = 1_000;
/** Heap of the thread: the Postgres driver takes 12 MB. */
const HEAP_MB = 32;

/**
 * Returns heartbeats that a worker thread writes, with a database connection of its own, so that a tool that blocks the
 * main thread for minutes doesn't make its runs look dead. The thread starts with a run,
 * and ends with the process, or after a while without runs.
 */
export function startHeartbeatThread(options: HeartbeatThreadOptions): Heartbeats {
  const { program, clock, logger, onLost, ...data } = options;
  /** The last message about each run, for a thread that has to be started again. */
  const runs = new Map<string, readonly HeartbeatRequest[]>();
  let worker: Worker | undefined;
  let isClosed = false;
  const onReport = (message: HeartbeatReport) => {
    if ('lost' in message) {
      for (const runId of message.lost) runs.delete(runId);
      onLost(message.lost);
    } else if ('failed' in message) logger.error({ error: message.failed }, "the heartbeats of turns can't be written");
    else logger.info({}, 'the heartbeats of turns are written again');
  };
  const start = () => {
    const started = new Worker(program, {
      workerData: { ...data, nowMs: clock.nowMs() } satisfies HeartbeatThreadData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    // The thread must not keep a process alive that has nothing else to do.
    started.unref();
    started.on('message', onReport);
    started.on('error', (error) => logger.error({ error: describeError(error) }, 'the thread of heartbeats failed'));
    started.once('exit', () => {
      if (worker !== started) return;
      worker = undefined;
      logger.debug({}, 'the thread of heartbeats has ended');
      clock.setTimer(RESTART_MS, () => {
        if (!isClosed && !worker && runs.size > 0) start();
      });
    });
    worker = started;
    for (const requests of runs.values()) for (const request of requests) started.postMessage(request);
  };
  const send = (request: HeartbeatRequest) => {
    if (isClosed) return;
    if (worker) worker.postMessage(request);
    else if (runs.size > 0) start();
  };
  return {
    add(runId) {
      runs.set(runId, [['add', runId]]);
      send(['add', runId]);
    },
    begun(runId) {
      runs.set(runId, [
        ['add', runId],
        ['begun', runId],
      ]);
      send(['begun', runId]);
    },
    remove(runId) {
      runs.delete(runId);
      send(['remove', runId]);
    },
    async close() {
      isClosed = true;
      const ending = worker;
      if (!ending) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.ref();
      ending.postMessage(['close'] satisfies HeartbeatRequest);
      const cut = clock.setTimer(CLOSE_MS, () => void ending.terminate());
      await ended;
      cut.cancel();
    },
  };
}
