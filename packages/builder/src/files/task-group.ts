/** Lets a few tasks run beside the code that starts them. */
export interface TaskGroup {
  /**
   * Takes a task that runs already; resolves when fewer than the allowed number run.
   * @throws what a task of the group failed with.
   */
  add(task: Promise<unknown>): Promise<void>;
  /**
   * Resolves when none runs any more.
   * @throws what the first task that failed failed with.
   */
  finish(): Promise<void>;
}

export function createTaskGroup(maxTasks: number): TaskGroup {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const check = () => {
    if (failure) throw failure.error;
  };
  return {
    async add(task) {
      const watched: Promise<void> = task.then(
        () => void running.delete(watched),
        (error: unknown) => {
          running.delete(watched);
          failure ??= { error };
        },
      );
      running.add(watched);
      while (running.size >= maxTasks) await Promise.race(running);
      check();
    },
    async finish() {
      await Promise.all(running);
      check();
    },
  };
}
