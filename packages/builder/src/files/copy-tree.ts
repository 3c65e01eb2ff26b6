import { constants, type Dirent } from 'node:fs';
import { copyFile, link, lstat, mkdir, opendir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './disk-error.ts';

/**
 * Entries of a folder processed at the same time: enough to keep libuv's threads busy, without a descriptor for every
 * file.
 */
const PARALLEL_ENTRIES = 16;

/**
 * Copies a tree and returns the total size of its files in bytes. Nothing may change the tree meanwhile, and `target`
 * must not exist. Symbolic links are copied, never followed; entries that are neither file, folder nor link are
 * skipped.
 * @param asLinks Creates hard links instead of copies. Only safe if no one can write to the files: a write through one
 * name changes all.
 */
export async function copyTree(
  source: string,
  target: string,
  { asLinks }: { readonly asLinks: boolean },
): Promise<number> {
  const stats = await lstat(source);
  if (!stats.isDirectory()) throw new Error(`${source} is not a folder`);
  await mkdir(target, stats.mode | 0o700);
  let sizeBytes = 0;
  let batch: Dirent[] = [];
  const work = async () => {
    const entries = batch;
    batch = [];
    const sizes = await Promise.all(
      entries.map((entry) => copyEntry(entry, join(source, entry.name), join(target, entry.name), asLinks)),
    );
    for (const size of sizes) sizeBytes += size;
  };
  const folders: string[] = [];
  for await (const entry of await opendir(source)) {
    if (entry.isDirectory()) folders.push(entry.name);
    else if (batch.push(entry) === PARALLEL_ENTRIES) await work();
  }
  await work();
  for (const name of folders) sizeBytes += await copyTree(join(source, name), join(target, name), { asLinks });
  return sizeBytes;
}

async function copyEntry(entry: Dirent, from: string, to: string, asLinks: boolean): Promise<number> {
  if (entry.isSymbolicLink()) {
    await symlink(await readlink(from), to);
    return 0;
  }
  if (!entry.isFile()) return 0;
  if (!asLinks || !(await tryLink(from, to))) await copyFile(from, to, constants.COPYFILE_FICLONE);
  return (await lstat(to)).size;
}

/**
 * Creates a hard link; returns false if that's impossible: across file systems, with too many links, or without support
 * for links.
 */
async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'ENOSYS'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}
