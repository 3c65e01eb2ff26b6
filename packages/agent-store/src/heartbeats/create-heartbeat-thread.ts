import { Worker } from 'node:worker_threads';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { HeartbeatReport, HeartbeatRequest, HeartbeatThread, HeartbeatThreadData } from './heartbeats.ts';

/** Options of {@link createHeartbeatThread}. */
export interface HeartbeatThreadOptions extends Omit<HeartbeatThreadData, 'nowMs'> {
  /** The module of the thread, `heartbeat-thread.ts`. */
  readonly program: URL;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Pause before a thread that failed is started again. */
const RESTART_MS = 1_000;
/** Time for a heartbeat that is being written when the agent closes. */
const CLOSE_MS = 1_000;
/** Heap of the thread: the Postgres driver takes 12 MB. */
const HEAP_MB = 32;

/**
 * Returns heartbeats that a worker thread writes, with a database connection of its own, so that code that blocks the main thread for
 * minutes doesn't make its runs and tasks look dead. The thread starts with a run or a task, and ends with the process, or after a
 * while without either.
 */
export function createHeartbeatThread(options: HeartbeatThreadOptions): HeartbeatThread {
  const { program, clock, logger, ...data } = options;
  let onLost: (runIds: readonly string[]) => void = () => {};
  /** The last messages about each run and task, for a thread that has to be started again. */
  const kept = new Map<string, readonly HeartbeatRequest[]>();
  let worker: Worker | undefined;
  let isClosed = false;
  const onReport = (message: HeartbeatReport) => {
    if ('lost' in message) {
      for (const runId of message.lost) kept.delete(runId);
      onLost(message.lost);
    } else if ('failed' in message)
      logger.error({ error: message.failed }, "heartbeats of turns and tasks can't be written");
    else logger.info({}, 'heartbeats of turns and tasks are being written again');
  };
  const start = () => {
    const started = new Worker(program, {
      workerData: { ...data, nowMs: clock.nowMs() } satisfies HeartbeatThreadData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    // The thread must not keep a process alive that has nothing else to do.
    started.unref();
    started.on('message', onReport);
    started.on('error', (error) => logger.error({ error: describeError(error) }, 'the heartbeat thread failed'));
    started.once('exit', () => {
      if (worker !== started) return;
      worker = undefined;
      logger.debug({}, 'the heartbeat thread ended');
      clock.setTimer(RESTART_MS, () => {
        if (!isClosed && !worker && kept.size > 0) start();
      });
    });
    worker = started;
    for (const requests of kept.values()) for (const request of requests) started.postMessage(request);
  };
  const send = (request: HeartbeatRequest) => {
    if (isClosed) return;
    if (worker) worker.postMessage(request);
    else if (kept.size > 0) start();
  };
  /** Sends the last of the messages that say how things are with a run or a task. */
  const keep = (id: string, ...requests: readonly [HeartbeatRequest, ...HeartbeatRequest[]]) => {
    kept.set(id, requests);
    send(requests.at(-1) ?? requests[0]);
  };
  const remove = (id: string) => {
    kept.delete(id);
    send(['remove', id]);
  };
  return {
    forRuns(onRunsLost) {
      onLost = onRunsLost;
      return {
        add: (runId) => keep(runId, ['add', runId]),
        begun: (runId) => keep(runId, ['add', runId], ['begun', runId]),
        remove,
      };
    },
    tasks: { add: (taskId, keepMs) => keep(taskId, ['lease', taskId, keepMs]), remove },
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
