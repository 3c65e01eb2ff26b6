/** Locks across all instances of an agent. A process's locks end with the process, however it ends. */
export interface Locks {
  /**
   * Runs `work` while no other work holds the key, in the order of the calls within this instance. `work` must not lock
   * the same key again.
   * @throws `unavailable` when the key was held for {@link LOCK_WAIT_MS}; `work` has then not run.
   */
  alone<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
}

/** Maximum wait for a lock: longer than any rename takes. */
export const LOCK_WAIT_MS = 20_000;
