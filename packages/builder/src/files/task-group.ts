/** Small files (up to 64 KiB) written at the same time: twice the number of libuv's threads. */
const PARALLEL_WRITES = 8;

/** Creates a group of tasks of which at most {@link PARALLEL_WRITES} run at a time. */
export function createTaskGroup() {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const check = () => {
    if (failure) throw failure.error;
  };
  return {
    /** Adds a running task; resolves when there is room for another. @throws the first failure of a task */
    async add(task: Promise<unknown>): Promise<void> {
      const watched: Promise<void> = task.then(
        () => void running.delete(watched),
        (error: unknown) => {
          running.delete(watched);
          failure ??= { error };
        },
      );
      running.add(watched);
      while (running.size >= PARALLEL_WRITES) await Promise.race(running);
      check();
    },
    /** Resolves when all tasks have ended. @throws the first failure of a task */
    async finish(): Promise<void> {
      await Promise.all(running);
      check();
    },
  };
}
