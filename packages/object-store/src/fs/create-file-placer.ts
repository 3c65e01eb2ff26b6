import { Worker } from 'node:worker_threads';
import { createError } from '@berth/contract';
import type { PutResult } from '../object-store.ts';
import type { PlaceOutcome, PlaceRequest } from './place-files.ts';
import type { PlaceMessage } from './place-thread.ts';

/** Gives complete files their names in volumes. */
export interface FilePlacer {
  /**
   * Places a file. When it resolves, the file and its name are on disk. Returns undefined, without a change, when the volume has
   * no folder, or a service has just removed the object's.
   * @throws BerthError `precondition_failed`; `conflict` when the path leads through an object or names a folder.
   */
  place(request: PlaceRequest): Promise<PutResult | undefined>;
  /** Idempotent. */
  close(): Promise<void>;
}

interface Waiting {
  readonly request: PlaceRequest;
  resolve(outcome: PlaceOutcome): void;
  reject(error: Error): void;
}

/** Files placed at once: a few milliseconds of syncing, for which the next ones wait. */
const BATCH = 32;
/** Largest file whose bytes may be in a request. Node reads a socket in pieces of this size. */
export const SMALL_BYTES = 64 * 1024;
const HEAP_MB = 16;

/**
 * Creates what places files in a thread of its own, so that a slow disk never stops the main thread. The thread starts with
 * the first file. Files that arrive while it works are its next batch.
 */
export function createFilePlacer(): FilePlacer {
  /** Bytes of the files that are placed now, which the thread reads. Untouched parts take no memory. */
  const shared = new SharedArrayBuffer(BATCH * SMALL_BYTES);
  const memory = new Uint8Array(shared);
  let worker: Worker | undefined;
  let waiting: Waiting[] = [];
  let placing: Waiting[] = [];
  let isScheduled = false;

  const start = (): Worker => {
    const started = new Worker(new URL('./place-thread.ts', import.meta.url), {
      workerData: shared,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    let cause: unknown;
    started.on('message', (text: string) => {
      const outcomes = JSON.parse(text) as readonly PlaceOutcome[];
      const done = placing;
      placing = [];
      for (const [index, one] of done.entries()) one.resolve(outcomes[index] as PlaceOutcome);
      send();
    });
    started.on('error', (error) => {
      cause = error;
    });
    started.once('exit', () => {
      worker = undefined;
      const lost = placing;
      placing = [];
      for (const one of lost)
        one.reject(createError('unavailable', 'The object was not stored. Try again.', { cause }));
      send();
    });
    return started;
  };
  const send = (): void => {
    isScheduled = false;
    if (placing.length > 0) return;
    placing = waiting.slice(0, BATCH);
    waiting = waiting.slice(BATCH);
    if (placing.length === 0) {
      worker?.unref();
      return;
    }
    worker ??= start();
    worker.ref();
    worker.postMessage(JSON.stringify(placing.map(({ request }, index) => toMessage(request, index))));
  };
  const toMessage = ({ content, ...request }: PlaceRequest, index: number): PlaceMessage => {
    if (typeof content === 'number') return { ...request, content };
    memory.set(content, index * SMALL_BYTES);
    return { ...request, content: [index * SMALL_BYTES, content.byteLength] };
  };

  return {
    async place(request) {
      const outcome = await new Promise<PlaceOutcome>((resolve, reject) => {
        waiting.push({ request, resolve, reject });
        if (isScheduled || placing.length > 0) return;
        isScheduled = true;
        setImmediate(send);
      });
      if ('result' in outcome) return outcome.result;
      if ('error' in outcome) throw Object.assign(new Error(outcome.error.message), { code: outcome.error.code });
      if (outcome.refusal === 'no_folder') return undefined;
      throw { leads_through: leadsThrough, is_folder: isFolder, not_met: notMet }[outcome.refusal](request.path);
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** Returns `conflict`: a part of the path is not a folder. */
export function leadsThrough(path: string) {
  return createError(
    'conflict',
    `"${path}" passes through an object or a link instead of a folder. Choose another path.`,
  );
}

/** Returns `conflict`: an object can't replace a folder. */
export function isFolder(path: string) {
  return createError('conflict', `"${path}" is a folder of the volume. Choose another path.`);
}

/** Returns `precondition_failed`. */
export function notMet(path: string) {
  return createError('precondition_failed', `"${path}" does not meet the request's precondition; nothing was stored.`);
}
