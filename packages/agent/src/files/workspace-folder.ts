import { createHash } from 'node:crypto';
import path from 'node:path';
import type { OwnerKey } from '@berth/agent-store';

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
