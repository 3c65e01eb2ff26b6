import { type OwnerKey, type RemovedWorkspace, teamKey, type WorkspaceStore } from '@berth/agent-store';
import { type Clock, createLimiter, describeError, type Logger, type Timer } from '@berth/kit';

export interface WorkspacePurgeOptions {
  readonly store: WorkspaceStore;
  /** Takes away all files of a workspace, what was deleted of them, and what is frozen of them in shares. */
  removeFiles(owner: OwnerKey): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Takes away what removed workspaces kept. */
export interface WorkspacePurge {
  /** Begins; what is under way is not waited for. */
  start(): void;
  /** After the pass that runs. */
  close(): Promise<void>;
}

/**
 * Who was at work in it when it was removed is let go within 60 s (docs/contract/agent-api.md §7), and may still write until then: what
 * is left of it is looked for again after this.
 */
const SETTLED_MS = 120_000;
/** After a disk or a database stood in the way. */
const AGAIN_MS = 3_600_000;

/**
 * Invariants: 1. A workspace's row says that it is removed before anything of it is touched. 2. It says that nothing is left
 * only after a pass that began when nobody could be at work in it any more. So a process may be killed at any moment, and
 * two may do the same work: the next start goes on.
 */
export function createWorkspacePurge({ store, removeFiles, clock, logger }: WorkspacePurgeOptions): WorkspacePurge {
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
        'not all that a deleted workspace kept could be taken away; it is tried again',
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
      logger.warn({ error: describeError(error) }, 'deleted workspaces could not be looked for');
    });
  };
  return {
    start,
    async close() {
      isClosed = true;
      timer?.cancel();
      await queue.run(async () => {});
    },
  };
}
