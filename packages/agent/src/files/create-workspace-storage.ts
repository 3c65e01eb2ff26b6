import { type Clock, describeError, type IdSource, type Logger } from '@berth/kit';
import type { AgentStores } from '../store/agent-stores.ts';
import type { OwnerKey } from '../store/owner-key.ts';
import { createTrash } from '../trash/create-trash.ts';
import type { Trash } from '../trash/trash.ts';
import { createBatches } from './batches.ts';
import { createWorkspaceFiles } from './create-workspace-files.ts';
import { followApps } from './follow-apps.ts';
import { createIncoming } from './incoming.ts';
import { removeWorkspace } from './remove-workspace.ts';
import { createWorkspaceDisk } from './workspace-disk.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

export interface WorkspaceStorageOptions {
  /** Absolute; exists. */
  readonly dataFolder: string;
  readonly stores: Pick<AgentStores, 'trash' | 'chats' | 'appData' | 'locks'>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/** Files of an agent's users, and what they deleted. */
export interface WorkspaceStorage {
  readonly files: WorkspaceFiles;
  readonly trash: Trash;
  /** Takes away all that a workspace has on the disk, for good. */
  remove(owner: OwnerKey): Promise<void>;
}

/** Opens the workspaces in a data folder; what killed processes left half done is done first. */
export async function createWorkspaceStorage(options: WorkspaceStorageOptions): Promise<WorkspaceStorage> {
  const { dataFolder, stores, clock, ids, logger } = options;
  const batches = createBatches(dataFolder, logger);
  const disk = createWorkspaceDisk(dataFolder, stores.locks, batches);
  const incoming = createIncoming(dataFolder, clock);
  const apps = followApps(stores.appData);
  for (const owner of await batches.owners()) {
    await disk
      .alone(owner, async () => {})
      .catch((error) => {
        // It is tried again before the owner's next change.
        logger.error(
          { error: describeError(error) },
          'an upload of several files that was cut off can not be gone on with',
        );
      });
  }
  return {
    files: createWorkspaceFiles({ dataFolder, disk, incoming, batches, apps }),
    trash: createTrash({ disk, store: stores.trash, chats: stores.chats, apps, clock, ids }),
    remove: (owner) => removeWorkspace(dataFolder, disk, owner),
  };
}
