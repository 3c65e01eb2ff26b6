import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canEnter } from '../identity/can-reach.ts';
import { makeFolder } from './make-folder.ts';

export interface WorkRootOptions {
  /** The server's data folder; exists. */
  readonly dataFolder: string;
  /**
   * Services run as users of their own and without a sandbox: they have to get at their files through the file system,
   * which they can't below a data folder that only root may enter.
   */
  readonly needsPublic: boolean;
  /** Where a public one may be made, the first that will do. */
  readonly publicFolders?: readonly string[];
}

const PUBLIC_FOLDERS = ['/var/lib', '/srv', '/var/tmp', '/tmp'] as const;

/**
 * Makes the folder for all that services have to see: artifacts, caches, instances. `<data folder>/work`, or
 * `berth-<hash of the data folder>` in a public place, mode 0711: one can pass, but not look around. A public one stays in
 * use once it is there, because the paths in it are written into what was built.
 * @throws Error when no public folder can be had.
 */
export async function prepareWorkRoot({
  dataFolder,
  needsPublic,
  publicFolders = PUBLIC_FOLDERS,
}: WorkRootOptions): Promise<string> {
  const name = `berth-${serverHash(dataFolder)}`;
  const usable = publicFolders.filter((folder) => canEnter(folder, undefined));
  if (!needsPublic) {
    const existing = usable.map((folder) => join(folder, name)).find((path) => isOwnPublicFolder(path));
    if (existing !== undefined) return existing;
    const inside = join(realpathSync(dataFolder), 'work');
    await makeFolder(inside, 0o711);
    return inside;
  }
  for (const folder of usable) {
    const path = join(folder, name);
    await mkdir(path, { mode: 0o711 }).catch(() => {});
    // Made by somebody else, in /tmp say, it would let them replace what root runs from it.
    if (!isOwnPublicFolder(path)) continue;
    // Whatever the umask made of it.
    await chmod(path, 0o711);
    return path;
  }
  throw new Error(`No place for the services' files: none of ${publicFolders.join(', ')} can be used.`);
}

/** Names a server by its data folder: 12 hexadecimal digits. */
export function serverHash(dataFolder: string): string {
  return createHash('sha256').update(realpathSync(dataFolder)).digest('hex').slice(0, 12);
}

function isOwnPublicFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}
