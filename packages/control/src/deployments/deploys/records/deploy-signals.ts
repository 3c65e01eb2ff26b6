/**
 * Notifies followers of new deploy events. It carries no events: a follower reads them from the database, so a slow
 * follower holds no memory, and none is missed or seen twice.
 */
export type DeploySignals = ReturnType<typeof createDeploySignals>;

export function createDeploySignals() {
  const listeners = new Map<string, Set<() => void>>();
  return {
    /** Call after the transaction that added the events. */
    notify(deployId: string): void {
      for (const listener of listeners.get(deployId) ?? []) listener();
    },
    /** Calls `listener` on each notification until the returned function is called. */
    subscribe(deployId: string, listener: () => void): () => void {
      const set = listeners.get(deployId) ?? new Set();
      listeners.set(deployId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(deployId);
      };
    },
  };
}
