import { type OpenFile, openFile, type WorkspacePath } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { type Clock, createLimiter, createSingleFlight } from '@berth/kit';
import { openFolder } from '@berth/kit/node';
import { MAX_PDF_BYTES, RENDERED, RenderError, refuseDocument } from '../renderer/renderer.ts';
import { openJobFolder } from './job-folder.ts';
import type { RenderCache } from './render-cache.ts';

/** A file to render. */
export interface RenderWork {
  /** Cache key of the result. One job at a time renders a key; other callers wait for it. */
  readonly key: string;
  /** Owner of the work, for the limit per owner. */
  readonly owner: string;
  /** Name of the file that `make` writes to the folder. */
  readonly name: string;
  /** Renders the file into the folder. @throws RenderError; the signal's reason. */
  make(folder: string, signal: AbortSignal): Promise<void>;
}

/** Time limit of a job, without its wait in the queue. */
const JOB_MS = 60_000;
const MAX_RUNNING = 2;
const MAX_WAITING = 8;
/** Maximum number of jobs per owner, so that one owner's slow documents don't delay the others. */
const MAX_PER_OWNER = 4;
/** About the duration of a job. */
const RETRY_AFTER_SECONDS = 5;

/** Creates the queue of render jobs. */
export function createRenderJobs(cache: Pick<RenderCache, 'put'>, clock: Clock) {
  const queue = createLimiter({
    concurrency: MAX_RUNNING,
    checkWait({ waiting, waitingOfKey, holdingOfKey }) {
      if (waiting < MAX_WAITING && holdingOfKey + waitingOfKey < MAX_PER_OWNER) return;
      throw createError('unavailable', 'The render queue is full. Try again in a moment.', {
        details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
      });
    },
  });
  const flights = createSingleFlight<void>();
  const refusals = createRefusals(clock);
  const closing = new AbortController();
  const running = new Set<Promise<void>>();

  const runNow = async ({ key, name, make }: RenderWork) => {
    closing.signal.throwIfAborted();
    const late = new AbortController();
    const timer = clock.setTimer(JOB_MS, () =>
      late.abort(new RenderError(`The file takes more than ${JOB_MS / 1_000} s to render.`, { isLasting: true })),
    );
    try {
      await using folder = await openJobFolder();
      await make(folder.path, AbortSignal.any([late.signal, closing.signal]));
      await using opened = await openFolder(folder.path);
      // The file was written by a program that parsed an untrusted document, so links are not followed.
      await using made = opened && (await openFile({ folder: opened, name }, name as WorkspacePath));
      if (!made || made.entry.size === 0) return refuseDocument('The file has no pages.');
      if (made.entry.size > MAX_PDF_BYTES) return refuseDocument('The file is too large as a PDF.');
      if (name === RENDERED && !(await isPdf(made))) return refuseDocument('The renderer did not return a PDF.');
      await cache.put(key, made);
    } catch (error) {
      if (error instanceof RenderError) refusals.add(key, error);
      throw error;
    } finally {
      timer.cancel();
    }
  };
  return {
    /** Renders a file into the cache. @throws RenderError; `unavailable` when the queue is full. */
    run(work: RenderWork): Promise<void> {
      return flights.run(work.key, async () => {
        refusals.check(work.key);
        const job = queue.run(() => runNow(work), { key: work.owner });
        running.add(job);
        try {
          await job;
        } finally {
          running.delete(job);
        }
      });
    },
    /** Aborts running jobs and rejects new ones. */
    async close(): Promise<void> {
      closing.abort(createError('unavailable', 'The agent is shutting down. Try again.'));
      await Promise.allSettled(running);
    },
  };
}

async function isPdf(file: OpenFile): Promise<boolean> {
  const [head] = await file.read({ first: 0, last: Math.min(4, file.entry.size - 1) }).toArray();
  return String(head) === '%PDF-';
}

const KEPT = 500;
/** Longer than a page retries, and shorter than a machine stays overloaded. */
const KEPT_MS = 600_000;

/** Creates an empty cache of failures. */
function createRefusals(clock: Clock) {
  const refusals = new Map<string, { readonly message: string; readonly untilMs: number }>();
  return {
    /** Checks a key. @throws RenderError as it was added, while it is cached. */
    check(key: string): void {
      const found = refusals.get(key);
      if (!found) return;
      if (found.untilMs > clock.monotonicMs()) throw new RenderError(found.message, { isLasting: true });
      refusals.delete(key);
    },
    /** Caches a permanent failure; ignores other errors. */
    add(key: string, { message, isLasting }: RenderError): void {
      if (!isLasting) return;
      const oldest = refusals.keys().next().value;
      if (refusals.size >= KEPT && oldest !== undefined) refusals.delete(oldest);
      refusals.set(key, { message, untilMs: clock.monotonicMs() + KEPT_MS });
    },
  };
}
