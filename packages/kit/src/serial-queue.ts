/** Runs tasks one after another, in the order they came; a task that fails does not stop the next. */
export interface SerialQueue {
  /** Tasks waiting or running. */
  readonly size: number;
  run<Value>(task: () => Promise<Value>): Promise<Value>;
}

export function createSerialQueue(): SerialQueue {
  let tail: Promise<unknown> = Promise.resolve();
  let size = 0;
  return {
    get size() {
      return size;
    },
    run(task) {
      size++;
      const result = tail.then(task).finally(() => {
        size--;
      });
      tail = result.catch(() => {});
      return result;
    },
  };
}
