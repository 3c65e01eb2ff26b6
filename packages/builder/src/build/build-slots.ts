import { createError } from '@berth/contract';
import { createDeferred, type Deferred } from '@berth/kit';

/** Lets at most so many builds run at a time; the others wait in the order they came. */
export interface BuildSlots {
  /**
   * Resolves with a slot, which is free again when it is disposed.
   * `onWait` is told how many are ahead (running ones included), when there are any.
   * @throws BerthError `cancelled` when `signal` aborts meanwhile.
   */
  acquire(signal: AbortSignal, onWait: (ahead: number) => void | Promise<void>): Promise<Disposable>;
}

export function createBuildSlots(count: number): BuildSlots {
  const waiting: Deferred<void>[] = [];
  let running = 0;

  const release = () => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next.resolve();
  };
  const createSlot = (): Disposable => {
    let isHeld = true;
    return {
      [Symbol.dispose]() {
        if (isHeld) release();
        isHeld = false;
      },
    };
  };

  return {
    async acquire(signal, onWait) {
      if (signal.aborted) throw createError('cancelled', 'The build was cancelled.');
      if (running < count) {
        running++;
        return createSlot();
      }
      const ahead = running + waiting.length;
      const turn = createDeferred();
      waiting.push(turn);
      const abort = () => {
        const at = waiting.indexOf(turn);
        // Not there any more: its turn came in the same tick, and the build itself sees the signal.
        if (at < 0) return;
        waiting.splice(at, 1);
        turn.reject(createError('cancelled', 'The build was cancelled while it waited.'));
      };
      signal.addEventListener('abort', abort, { once: true });
      try {
        await Promise.all([turn.promise, onWait(ahead)]);
      } catch (error) {
        abort();
        // Its turn may have come in spite of the failure: then it goes on to the next.
        turn.promise.then(release, () => {});
        throw error;
      } finally {
        signal.removeEventListener('abort', abort);
      }
      return createSlot();
    },
  };
}
