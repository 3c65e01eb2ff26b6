import path from 'node:path';
import type { Locks, OwnerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { ensureFolders, type OpenFolder, openFolder } from '@berth/kit/node';
import type { Batches } from './place-batch.ts';
import { ownerFolderName, workspaceFolder } from './workspace-folder.ts';

/** Agents that share the volume share the workspaces; the trash is the agent's own. */
const WORKSPACE_MODE = 0o770;
const PRIVATE_MODE = 0o700;

/** The folders of owners on the disk. */
export type WorkspaceDisk = ReturnType<typeof createWorkspaceDisk>;

/** @param dataFolder absolute; exists. */
export function createWorkspaceDisk(dataFolder: string, locks: Locks, batches: Batches) {
  const ensure = async (parts: readonly string[], mode: number): Promise<OpenFolder> => {
    const folder = await openFolder(
      await ensureFolders(
        dataFolder,
        parts,
        parts.map(() => mode),
      ),
    );
    if (folder) return folder;
    throw createError(
      'unavailable',
      `${path.join(dataFolder, ...parts)} is not a folder. The operator must move it away.`,
    );
  };
  const ensureWorkspace = (owner: OwnerKey) => ensure(['workspaces', ownerFolderName(owner)], WORKSPACE_MODE);
  return {
    /** Opens an owner's folder; undefined when nothing was ever written to it. */
    open: (owner: OwnerKey): Promise<OpenFolder | undefined> => openFolder(workspaceFolder(dataFolder, owner)),
    ensure: ensureWorkspace,
    /** Opens an owner's trash, which lies outside the workspace, out of reach of its tools. */
    ensureTrash: (owner: OwnerKey): Promise<OpenFolder> => ensure(['.trash', ownerFolderName(owner)], PRIVATE_MODE),
    /**
     * Runs changes of an owner's files one after the other, over all instances, so that a check still holds when the change is made.
     * @throws `unavailable` when another instance holds the lock too long.
     */
    alone: <Value>(owner: OwnerKey, change: () => Promise<Value>): Promise<Value> =>
      locks.alone(`files:${owner}`, async () => {
        await batches.finish(owner, () => ensureWorkspace(owner));
        return await change();
      }),
  };
}
