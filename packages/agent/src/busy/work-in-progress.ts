import { type Logger, runInBackground } from '@berth/kit';

/** The work of an instance that goes on without a request. While there is any, the platform keeps the instance. */
export type WorkInProgress = ReturnType<typeof createWorkInProgress>;

/** Creates a record without work. */
export function createWorkInProgress(logger: Logger) {
  const promises = new Set<Promise<unknown>>();
  const sources: (() => boolean)[] = [];
  const givenUp = Promise.withResolvers<void>();
  const replaced = new AbortController();
  return {
    /** Aborts when a newer revision has replaced this instance, which then finishes its work and begins none. */
    replaced: replaced.signal,
    setReplaced: () => replaced.abort(),
    /** Counts the promise as work until it settles. A rejection is logged. */
    waitUntil(work: Promise<unknown>): void {
      promises.add(work);
      const counted = work.finally(() => promises.delete(work));
      runInBackground('work without a request', counted, logger);
    },
    /** Adds a source of work, which is asked at each question. */
    addSource(isBusy: () => boolean): void {
      sources.push(isBusy);
    },
    /** Whether any work is in progress. */
    get isBusy(): boolean {
      return promises.size > 0 || sources.some((isBusy) => isBusy());
    },
    /** Resolves when every promise has settled, or at {@link giveUp}. Sources are not waited for. Never rejects. */
    async settled(): Promise<void> {
      const all = async () => {
        while (promises.size > 0) await Promise.allSettled(promises);
      };
      await Promise.race([all(), givenUp.promise]);
    },
    /** Ends the wait for promises that are still pending. */
    giveUp: givenUp.resolve,
  };
}
