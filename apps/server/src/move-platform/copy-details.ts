import { constants } from 'node:fs';
import { chmod, lchown, lstat, readdir, readlink, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { VolumePlace } from '@berth/object-store';
import type { MovePass } from './move-pass.ts';

/** Numbers of things in a volume that are not objects. */
export interface LeftOut {
  /** Symbolic links. */
  readonly links: number;
  /** Folders without a file. */
  readonly folders: number;
}

/** User and group of Berth's Pods, and the group in which services on Kubernetes write to volumes. Source: deploy/helm/berth. */
const OWNER = 10_001;

/**
 * Adds to a volume in a shared folder the properties that objects don't have: empty folders, symbolic links, permissions to execute, and
 * the owner that Berth has on Kubernetes. Does nothing while services write to the source. Returns the numbers of links and empty folders
 * that a bucket can't hold.
 */
export async function copyDetails(
  { source, target, isDryRun, isLive }: MovePass,
  place: VolumePlace,
): Promise<LeftOut> {
  const from = path.join(source.volumeFolder, place.account, place.storageId);
  // A service could replace a folder by a link while it is read by its path.
  if (isLive) return { links: 0, folders: 0 };
  const folders = isDryRun ? undefined : target.volumes.folders;
  let links = 0;
  let emptyFolders = 0;
  const walk = async (subPath: string): Promise<void> => {
    const entries = await readdir(path.join(from, subPath), { withFileTypes: true });
    if (entries.length === 0 && subPath !== '') emptyFolders++;
    const to = folders && (await folders.ensure(place, subPath));
    if (to) await giveToBerth(to);
    for (const entry of entries) {
      const name = path.join(subPath, entry.name);
      if (entry.isDirectory()) await walk(name);
      else if (entry.isSymbolicLink()) {
        links++;
        if (to) await copyLink(path.join(from, name), path.join(to, entry.name));
      } else if (entry.isFile() && to) {
        const { mode } = await lstat(path.join(from, name));
        const copy = path.join(to, entry.name);
        if ((mode & constants.S_IXUSR) !== 0) await chmod(copy, FILE_MODE | 0o110).catch(ignoreMissing);
        await giveToBerth(copy);
      }
    }
  };
  await walk('');
  return folders ? { links: 0, folders: 0 } : { links, folders: emptyFolders };
}

/** Source: packages/object-store/src/fs. */
const FILE_MODE = 0o660;

async function copyLink(from: string, to: string): Promise<void> {
  const wanted = await readlink(from);
  if ((await readlink(to).catch(() => undefined)) === wanted) return;
  await rm(to, { recursive: true, force: true });
  await symlink(wanted, to);
  await giveToBerth(to);
}

/** Only root can. Anyone else runs as a user whose files Berth reads. */
async function giveToBerth(file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await lchown(file, OWNER, OWNER).catch(ignoreMissing);
}

/** A file whose name isn't UTF-8 isn't an object. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
