import { type OwnerKey, type RemovedWorkspace, teamKey, type WorkspaceStore } from '@berth/agent-store';
import { type Clock, createLimiter, describeError, type Logger, type Timer } from '@berth/kit';

/** Options of {@link createWorkspacePurge}. */
export interface WorkspacePurgeOptions {
  readonly store: WorkspaceStore;
  /** Deletes all files of a workspace, including its trash and the frozen files of its shares. */
  removeFiles(owner: OwnerKey): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The delay until the final pass. Members who work in a workspace when it is removed lose access within 60 s
 * (docs/contract/agent-api.md §7) and may write until then, so an earlier pass can miss data.
 */
const SETTLED_MS = 120_000;
/** The delay of a retry after a failed deletion. */
const AGAIN_MS = 3_600_000;

/**
 * Creates the purge of removed workspaces. Invariants: 1. A workspace is marked removed before any of its data is deleted.
 * 2. It is marked purged only after a pass that started when no one could work in it anymore. A process may therefore be
 * killed at any time, and two processes may purge the same workspace: the next start continues.
 */
export function createWorkspacePurge({ store, removeFiles, clock, logger }: WorkspacePurgeOptions) {
  const queue = createLimiter({ concurrency: 1 });
  let timer: Timer | undefined;
  let isClosed = false;
  const purge = async ({ tenant, id, removedAtMs }: RemovedWorkspace): Promise<void> => {
    const isSettled = clock.nowMs() - removedAtMs >= SETTLED_MS;
    try {
      await removeFiles(teamKey(tenant, id));
      await store.purgeRows(tenant, id);
      if (isSettled) await store.markPurged(tenant, id);
    } catch (error) {
      logger.warn(
        { workspace: id, error: describeError(error) },
        'data of a deleted workspace could not be removed completely; will retry',
      );
    }
  };
  const pass = async (): Promise<void> => {
    const removed = isClosed ? [] : await store.removed();
    for (const workspace of removed) if (!isClosed) await purge(workspace);
    if (isClosed || removed.length === 0) return;
    const isSettling = removed.some(({ removedAtMs }) => clock.nowMs() - removedAtMs < SETTLED_MS);
    timer?.cancel();
    timer = clock.setTimer(isSettling ? SETTLED_MS : AGAIN_MS, start);
  };
  const start = (): void => {
    queue.run(pass).catch((error) => {
      logger.warn({ error: describeError(error) }, 'deleted workspaces could not be listed');
    });
  };
  return {
    /** Starts a pass in the background, after the one that is running. */
    start,
    /** Cancels further passes and waits for the one that is running. */
    async close(): Promise<void> {
      isClosed = true;
      timer?.cancel();
      await queue.run(async () => {});
    },
  };
}
