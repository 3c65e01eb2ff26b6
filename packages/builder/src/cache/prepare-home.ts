import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandSandbox, Owner } from '@berth/runtime';
import { ensureFolder } from '../files/ensure-folder.ts';
import { createCachePlace } from './cache-places.ts';

export interface PrepareHomeOptions {
  readonly cacheFolder: string;
  readonly sandbox: CommandSandbox;
  readonly owner: Owner;
  /** A folder that was just given to the owner. */
  readonly given: string;
}

/** The home folder of an owner's builds, its user's own; made when it is not there. */
export async function prepareHome({ cacheFolder, sandbox, owner, given }: PrepareHomeOptions): Promise<string> {
  const { folder, home } = createCachePlace(cacheFolder, owner);
  // Entered by the owner's user on its way to its home, listed by nobody.
  await ensureFolder(cacheFolder, 0o711, true);
  await ensureFolder(join(cacheFolder, owner.account), 0o711);
  await ensureFolder(folder, 0o711);
  const isNew = await ensureFolder(home, 0o700);
  // It holds many files and is the owner's since it was made, unless the owner has got another user since.
  if (isNew || (await lstat(home)).uid !== (await lstat(given)).uid) await sandbox.giveToOwner(home, owner);
  return home;
}
