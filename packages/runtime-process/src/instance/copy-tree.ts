import { constants, type Dirent } from 'node:fs';
import { chmod, chown, copyFile, lchown, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { inBatches } from '@berth/runtime/files';
import type { Identity } from '../identity/can-reach.ts';

/** Options of {@link copyTree}. */
export interface CopyTreeOptions {
  readonly source: string;
  /** Must not exist. */
  readonly target: string;
  /** Paths below `source` that become symlinks in the copy. */
  readonly sharedFolders: readonly string[];
  /** The new owner of the copy, who can't enter it before it is complete. */
  readonly identity: Identity | undefined;
  readonly maxBytes: number;
}

/** Thrown when a tree exceeds `maxBytes`; a part of it was copied. */
export class TreeTooLargeError extends Error {
  constructor() {
    super('the tree is too large to copy');
    this.name = 'TreeTooLargeError';
  }
}

/**
 * Copies an artifact so that an instance can write to it, and returns the total size of its files. Files share their blocks where the file
 * system supports it (`FICLONE`). Devices, pipes and sockets are left out.
 * @throws TreeTooLargeError when the files exceed `maxBytes`.
 */
export async function copyTree(options: CopyTreeOptions): Promise<number> {
  const { source, target, identity, maxBytes } = options;
  const shared = new Set(options.sharedFolders.map((folder) => join(source, folder)));
  let bytes = 0;

  const copyEntry = async (from: string, to: string, entry: Dirent): Promise<void> => {
    if (entry.isDirectory()) return shared.has(from) ? link(from, to) : copyFolder(from, to);
    if (entry.isSymbolicLink()) return link(await readlink(from), to);
    if (!entry.isFile()) return;
    const { size, mode } = await lstat(from);
    bytes += size;
    if (bytes > maxBytes) throw new TreeTooLargeError();
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    if ((mode & 0o600) !== 0o600) await chmod(to, (mode & 0o777) | 0o600);
    if (identity) await chown(to, identity.uid, identity.gid);
  };
  const link = async (destination: string, path: string): Promise<void> => {
    await symlink(destination, path);
    if (identity) await lchown(path, identity.uid, identity.gid);
  };
  const copyFolder = async (from: string, to: string): Promise<void> => {
    await mkdir(to, { mode: 0o700 });
    const entries = await readdir(from, { withFileTypes: true });
    await inBatches(entries, (entry) => copyEntry(join(from, entry.name), join(to, entry.name), entry));
    if (identity) await chown(to, identity.uid, identity.gid);
  };

  await copyFolder(source, target);
  return bytes;
}
