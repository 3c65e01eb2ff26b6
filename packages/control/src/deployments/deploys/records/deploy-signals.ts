import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import type { Cluster } from '../../../cluster/cluster.ts';

/**
 * Notifies followers of new deploy events, on all servers. It carries no events: a follower reads them from the database, so a slow
 * follower holds no memory, and none is missed or seen twice.
 */
export type DeploySignals = ReturnType<typeof createDeploySignals>;

export function createDeploySignals(cluster: Pick<Cluster, 'publish' | 'subscribe'>) {
  const listeners = new Map<string, Set<() => void>>();
  const notify = (deployId: string): void => {
    for (const listener of listeners.get(deployId) ?? []) listener();
  };
  const unsubscribe = cluster.subscribe('deploys', (deployId) => {
    for (const id of deployId === undefined ? [...listeners.keys()] : [deployId]) notify(id);
  });
  return {
    /** Notifies the followers on other servers. Call it in the transaction that adds the events. */
    publish: (deployId: string, transaction: Kysely<Database>): Promise<void> =>
      cluster.publish('deploys', deployId, transaction),
    /** Notifies the followers on this server. Call it after that transaction. */
    notify,
    /** Calls `listener` on each notification until the returned function is called. */
    subscribe(deployId: string, listener: () => void): () => void {
      const set = listeners.get(deployId) ?? new Set();
      listeners.set(deployId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(deployId);
      };
    },
    close: unsubscribe,
  };
}
