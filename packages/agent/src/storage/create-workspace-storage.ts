import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { AgentStores, OwnerKey } from '@berth/agent-store';
import { type Clock, describeError, type IdSource, type Logger } from '@berth/kit';
import { createWorkspaceFiles } from '../files/create-workspace-files.ts';
import { followApps } from '../files/follow-apps.ts';
import { createIncoming } from '../files/incoming.ts';
import { createBatches } from '../files/place-batch.ts';
import { createWorkspaceDisk, type WorkspaceDisk } from '../files/workspace-disk.ts';
import { ownerFolderName } from '../files/workspace-folder.ts';
import { createTrash } from '../trash/create-trash.ts';

export interface WorkspaceStorageOptions {
  /** Absolute; exists. */
  readonly dataFolder: string;
  readonly stores: Pick<AgentStores, 'trash' | 'chats' | 'appData' | 'locks'>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/** The files of all workspaces, and their trash. */
export type WorkspaceStorage = Awaited<ReturnType<typeof createWorkspaceStorage>>;

/** Opens the workspaces in a data folder, and completes batches that killed processes left. */
export async function createWorkspaceStorage(options: WorkspaceStorageOptions) {
  const { dataFolder, stores, clock, ids, logger } = options;
  const batches = createBatches(dataFolder, logger);
  const disk = createWorkspaceDisk(dataFolder, stores.locks, batches);
  const receive = createIncoming(dataFolder, clock);
  const apps = followApps(stores.appData);
  for (const owner of await batches.owners()) {
    await disk
      .alone(owner, async () => {})
      .catch((error) => {
        // The owner's next change tries again.
        logger.error({ error: describeError(error) }, "an interrupted upload of several files can't be resumed");
      });
  }
  return {
    files: createWorkspaceFiles({ dataFolder, disk, receive, batches, apps }),
    trash: createTrash({ disk, store: stores.trash, chats: stores.chats, apps, clock, ids }),
    /** Deletes everything that a workspace has on the disk. */
    remove: (owner: OwnerKey): Promise<void> => removeWorkspace(dataFolder, disk, owner),
  };
}

/** The folders that hold a folder for each owner: files, trash, and frozen files of shares. */
const PLACES = ['workspaces', '.trash', '.shares'] as const;

/** Deletes everything that a workspace has on the disk. A second call continues after a crash. */
async function removeWorkspace(dataFolder: string, disk: WorkspaceDisk, owner: OwnerKey): Promise<void> {
  await disk.alone(owner, async () => {
    for (const place of PLACES) {
      await rm(path.join(dataFolder, place, ownerFolderName(owner)), { recursive: true, force: true });
    }
  });
}
