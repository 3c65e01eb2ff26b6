import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { OwnerKey } from '@berth/agent-store';
import type { WorkspaceDisk } from './workspace-disk.ts';
import { ownerFolderName } from './workspace-folder.ts';

/** Where folders of owners are: their files, what they deleted, and what is frozen in shares. */
const PLACES = ['workspaces', '.trash', '.shares'] as const;

/** Takes away everything that a workspace has on the disk, for good. Done again it goes on where it was cut off. */
export async function removeWorkspace(dataFolder: string, disk: WorkspaceDisk, owner: OwnerKey): Promise<void> {
  await disk.alone(owner, async () => {
    for (const place of PLACES) {
      await rm(path.join(dataFolder, place, ownerFolderName(owner)), { recursive: true, force: true });
    }
  });
}
