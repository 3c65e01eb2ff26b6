/** Locks that hold over all instances of an agent and go with the process that holds them, however it ends. */
export interface Locks {
  /**
   * Runs one `work` of a key after the other, those of this instance in their order. It must not take the same key again.
   * @throws `unavailable` when others held the key for {@link LOCK_WAIT_MS}: nothing was done then.
   */
  alone<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
}

/** Longer than any change of names takes; who waited so long is better off asking again. */
export const LOCK_WAIT_MS = 20_000;
