import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandSandbox, Owner } from '@berth/runtime';
import { ensureFolder } from '../files/ensure-folder.ts';
import { safeSegment } from '../files/safe-segment.ts';

/** The cache folders of one owner. */
export interface CachePlace {
  /** The folder that contains all caches of the owner. */
  readonly folder: string;
  /** Home folder of the owner's builds, with the package managers' caches. Writable by the owner's user. */
  readonly home: string;
  /** Installed dependencies, one folder per entry. Owned by the server. */
  readonly dependencies: string;
}

/**
 * Returns the cache folders of `owner` below `cacheFolder`. @throws Error if the owner's names aren't safe folder
 * names.
 */
export function createCachePlace(cacheFolder: string, owner: Owner): CachePlace {
  const folder = join(cacheFolder, safeSegment(owner.account), safeSegment(owner.deployment));
  return { folder, home: join(folder, 'home'), dependencies: join(folder, 'dependencies') };
}

/**
 * Returns the home folder of an owner's builds, owned by the owner's user; creates it if missing.
 * @param given A folder that was just given to the owner, and so belongs to the owner's current user.
 */
export async function prepareHome(
  cacheFolder: string,
  sandbox: CommandSandbox,
  owner: Owner,
  given: string,
): Promise<string> {
  const { folder, home } = createCachePlace(cacheFolder, owner);
  // The owner's user passes through these folders to reach its home, but can't list them.
  await ensureFolder(cacheFolder, 0o711, true);
  await ensureFolder(join(cacheFolder, owner.account), 0o711);
  await ensureFolder(folder, 0o711);
  const isNew = await ensureFolder(home, 0o700);
  // Changing the owner of its many files is slow, so it's done only for a new home or if the owner's user has changed.
  if (isNew || (await lstat(home)).uid !== (await lstat(given)).uid) await sandbox.giveToOwner(home, owner);
  return home;
}
