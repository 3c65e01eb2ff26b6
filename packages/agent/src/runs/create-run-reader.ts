import type { Clock } from '@berth/kit';
import type { EndedRun, ReaderEnd, RunFrame, RunReader } from './run-engine.ts';

/** Bytes of one batch. A reader holds a single batch, however much the run has produced. */
const BATCH_BYTES = 262_144;

/** A reader that takes nothing for this long is cut off; sooner when many frames wait for it. */
const PATIENCE_MS = 30_000;
const BUSY_PATIENCE_MS = 10_000;
const BUSY_BYTES = 1_048_576;

interface RunReaderOptions {
  readonly runId: string;
  readonly source: RunSource;
  /** Frames up to this one are skipped. */
  readonly afterSeq: number;
  readonly clock: Clock;
  /** Called once, when the reader ends. */
  onEnd(end: ReaderEnd): void;
}

/**
 * Creates a reader of a run's frames: a {@link RunReader}, with two methods for the engine. It holds one batch at a time and waits
 * for its caller.
 */
export function createRunReader({ runId, source, afterSeq, clock, onEnd }: RunReaderOptions) {
  const ended = Promise.withResolvers<ReaderEnd>();
  let seq = afterSeq;
  let isAsked = false;
  let reading: Promise<unknown> = Promise.resolve();
  let idleSinceMs = clock.monotonicMs();
  let bytesAtIdle = source.bytesSoFar();
  let end: ReaderEnd | undefined;
  // Stryker disable next-line BooleanLiteral: each read begins with false.
  let hasNews = false;
  let wakeUp: (() => void) | undefined;
  // One listener for the reader's life: one per frame would be expensive with thousands of readers.
  const forget = source.listen(() => {
    hasNews = true;
    wakeUp?.();
  });
  const finish = (how: ReaderEnd) => {
    if (end) return;
    end = how;
    forget();
    wakeUp?.();
    ended.resolve(how);
    onEnd(how);
  };
  const answer = (frames: readonly RunFrame[] | undefined): IteratorResult<readonly RunFrame[], undefined> => {
    isAsked = false;
    idleSinceMs = clock.monotonicMs();
    bytesAtIdle = source.bytesSoFar();
    return frames ? { done: false, value: frames } : { done: true, value: undefined };
  };
  /** Returns what to hand out, if that is known after a read. */
  const settle = (frames: readonly RunFrame[]): ReturnType<typeof answer> | undefined => {
    if (end) return answer(undefined);
    const last = frames.at(-1);
    if (last) {
      seq = last.seq;
      return answer(frames);
    }
    const over = source.endAfter(seq);
    if (!over) return undefined;
    finish(over);
    return answer(undefined);
  };
  const fail = (error: unknown): ReturnType<typeof answer> => {
    const isLeft = end !== undefined;
    finish('left');
    const over = answer(undefined);
    // A reader that has left gets no error either.
    if (isLeft) return over;
    throw error;
  };
  /** Reads without a promise for each step: what is read of a run of this process is there at once. */
  const take = (): Promise<ReturnType<typeof answer>> | ReturnType<typeof answer> => {
    if (end) return answer(undefined);
    hasNews = false;
    const found = source.read(seq, BATCH_BYTES);
    if (!('then' in found)) return settle(found) ?? awaitNews();
    reading = found;
    // Frames that arrived during the read are read before waiting.
    return found.then((frames) => settle(frames) ?? (hasNews ? take() : awaitNews()), fail);
  };
  const awaitNews = (): Promise<ReturnType<typeof answer>> =>
    new Promise<void>((resolve) => {
      wakeUp = resolve;
    }).then(take);
  const iterator: AsyncIterator<readonly RunFrame[], undefined> = {
    next() {
      isAsked = true;
      return Promise.resolve(take());
    },
    async return() {
      finish('left');
      return { done: true, value: undefined };
    },
  };
  return {
    runId,
    get attempt() {
      return source.attempt;
    },
    ended: ended.promise,
    close: () => finish('left'),
    /** Resolves when no read is in progress; after `close` none starts. */
    whenIdle: () =>
      reading.then(
        () => {},
        () => {},
      ),
    /** Cuts the reader off when its caller has not taken frames for too long. */
    cutIfSlow(): void {
      if (isAsked || !source.hasAfter(seq)) return;
      const idleMs = clock.monotonicMs() - idleSinceMs;
      const isBusy = source.bytesSoFar() - bytesAtIdle > BUSY_BYTES;
      if (idleMs > (isBusy ? BUSY_PATIENCE_MS : PATIENCE_MS)) finish('too_slow');
    },
    [Symbol.asyncIterator]: () => iterator,
  };
}

/** The source of a reader's frames: a run of this process, or the log. */
export interface RunSource {
  /** The attempt of the frames that were read last. */
  readonly attempt: number;
  /** Bytes of frames produced so far; 0 where unknown. */
  bytesSoFar(): number;
  /** True when frames after `seq` are known to exist. */
  hasAfter(seq: number): boolean;
  /**
   * Returns the available frames after `afterSeq`, in order and without gaps, up to about `maxBytes`; a promise when it has to look
   * for them. Begins with the first frame
   * again when the frame `afterSeq` was lost with its process.
   */
  read(afterSeq: number, maxBytes: number): Promise<readonly RunFrame[]> | readonly RunFrame[];
  /** Returns how the run ended, once it has and there is no frame after `seq`. */
  endAfter(seq: number): EndedRun['status'] | 'moved' | undefined;
  /** Calls `listener` whenever there may be new frames; returns a function that unsubscribes. */
  listen(listener: () => void): () => void;
}
