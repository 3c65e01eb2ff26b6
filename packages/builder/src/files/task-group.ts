/** A group of tasks with a limit on how many run at the same time. */
export interface TaskGroup {
  /**
   * Adds a running task; resolves when fewer than the maximum number run.
   * @throws the first failure of a task in the group.
   */
  add(task: Promise<unknown>): Promise<void>;
  /**
   * Resolves when all tasks have ended.
   * @throws the first failure of a task in the group.
   */
  finish(): Promise<void>;
}

/** Creates a group in which at most `maxTasks` tasks run at a time. */
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
