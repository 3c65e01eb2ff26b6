import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canEnter } from '../identity/can-reach.ts';
import { makeFolder } from './make-folder.ts';

/** Options of {@link prepareWorkRoot}. */
export interface WorkRootOptions {
  /** The server's data folder, which must exist. */
  readonly dataFolder: string;
  /**
   * Set when services run as separate users without a sandbox. They must reach their files through the file system, and the data folder
   * may be one that only root can enter.
   */
  readonly needsPublic: boolean;
  /** Candidate parents of a public work root; the first usable one is taken. Default: `/var/lib`, `/srv`, `/var/tmp`, `/tmp`. */
  readonly publicFolders?: readonly string[];
}

const PUBLIC_FOLDERS = ['/var/lib', '/srv', '/var/tmp', '/tmp'] as const;

/**
 * Makes the folder for everything that services must see (artifacts, caches, instances) and returns its path: `<data folder>/work`, or
 * `berth-<hash of the data folder>` in a public folder. Its mode is 0711: others can pass through it but not list it. A public work root
 * stays in use once it exists, because builds contain its path.
 * @throws Error when a public folder is needed and none can be used.
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
    // A folder that another user made, e.g. in /tmp, would let that user replace files that root executes.
    if (!isOwnPublicFolder(path)) continue;
    // mkdir applied the umask.
    await chmod(path, 0o711);
    return path;
  }
  throw new Error(`No usable folder for the services' files: none of ${publicFolders.join(', ')} can be used.`);
}

/** Returns an id of the server, derived from its data folder: 12 hexadecimal digits. */
export function serverHash(dataFolder: string): string {
  return createHash('sha256').update(realpathSync(dataFolder)).digest('hex').slice(0, 12);
}

function isOwnPublicFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}
