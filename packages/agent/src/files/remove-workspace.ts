import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { OwnerKey } from '@berth/agent-store';
import type { WorkspaceDisk } from './workspace-disk.ts';
import { ownerFolderName } from './workspace-folder.ts';

/** The folders that hold a folder for each owner: files, trash, and frozen files of shares. */
const PLACES = ['workspaces', '.trash', '.shares'] as const;

/** Deletes everything that a workspace has on the disk. A second call continues after a crash. */
export async function removeWorkspace(dataFolder: string, disk: WorkspaceDisk, owner: OwnerKey): Promise<void> {
  await disk.alone(owner, async () => {
    for (const place of PLACES) {
      await rm(path.join(dataFolder, place, ownerFolderName(owner)), { recursive: true, force: true });
    }
  });
}
