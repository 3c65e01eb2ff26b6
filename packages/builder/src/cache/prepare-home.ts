import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandSandbox, Owner } from '@berth/runtime';
import { ensureFolder } from '../files/ensure-folder.ts';
import { createCachePlace } from './cache-places.ts';

/** Options of {@link prepareHome}. */
export interface PrepareHomeOptions {
  readonly cacheFolder: string;
  readonly sandbox: CommandSandbox;
  readonly owner: Owner;
  /** A folder that was just given to the owner, and so belongs to the owner's current user. */
  readonly given: string;
}

/** Returns the home folder of an owner's builds, owned by the owner's user; creates it if missing. */
export async function prepareHome({ cacheFolder, sandbox, owner, given }: PrepareHomeOptions): Promise<string> {
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
