import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Locks, OwnerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { ensureFolders, type OpenFolder, openFolder } from '@berth/kit/node';
import type { Batches } from './place-batch.ts';

/** Whoever shares the volume shares the workspaces; the trash is the agent's own. */
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
      `${path.join(dataFolder, ...parts)} is no folder. Its operator has to move it away.`,
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

/** Long enough that no two owners share a folder, also on disks that don't tell cases apart. */
const HASH_CHARACTERS = 32;

/** Returns the name of an owner's folder: readable, and different for every key. */
export function ownerFolderName(owner: OwnerKey): string {
  const legible = owner.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
  return `${legible}.${createHash('sha256').update(owner).digest('hex').slice(0, HASH_CHARACTERS)}`;
}

/** Returns the absolute path of an owner's workspace, which exists after the first write. */
export function workspaceFolder(dataFolder: string, owner: OwnerKey): string {
  return path.join(dataFolder, 'workspaces', ownerFolderName(owner));
}
