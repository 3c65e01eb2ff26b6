import { link, lstat, mkdir, rename, rmdir, unlink } from 'node:fs/promises';
import { lstatIn, type Named } from '@berth/agent-core';
import { codeOf, isAbsence } from '@berth/kit/node';

/** The outcome of a move: done, nothing to move, or the name is taken. */
export type MoveOutcome = 'done' | 'missing' | 'taken';

/** Error codes of file systems without hard links, e.g. some object stores. */
const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Moves a file or folder to a free name, durably. Only one of two concurrent moves of one entry, or to one name, succeeds. Never
 * replaces an entry, as rename(2) alone would.
 */
export async function moveNew(from: Named, to: Named): Promise<MoveOutcome> {
  const [source, target] = [from.folder.at(from.name), to.folder.at(to.name)];
  const stats = await lstatIn(from.folder, from.name);
  if (!stats) return 'missing';
  const outcome = stats.isDirectory() ? await moveFolder(source, target) : await moveFile(source, target);
  if (outcome === 'done') {
    await to.folder.handle.sync();
    await from.folder.handle.sync();
  }
  return outcome;
}

/** An empty folder holds the name, and rename(2) takes the place of an empty folder only. */
async function moveFolder(source: string, target: string): Promise<MoveOutcome> {
  try {
    await mkdir(target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'taken';
    throw error;
  }
  try {
    await rename(source, target);
    return 'done';
  } catch (error) {
    await rmdir(target).catch(() => {});
    if (isAbsence(error)) return 'missing';
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return 'taken';
    throw error;
  }
}

/** As {@link moveNew}, of a file: a second name, which link(2) makes only where none is; then the first one goes. Not synced. */
export async function moveFile(source: string, target: string): Promise<MoveOutcome> {
  try {
    await link(source, target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'taken';
    if (isAbsence(error)) return 'missing';
    if (NO_LINKS.includes(codeOf(error))) return moveWithoutLinks(source, target);
    throw error;
  }
  try {
    await unlink(source);
    return 'done';
  } catch (error) {
    if (!isAbsence(error)) throw error;
    // A concurrent move won: its name is the only one.
    await unlink(target);
    return 'missing';
  }
}

async function moveWithoutLinks(source: string, target: string): Promise<MoveOutcome> {
  if (await exists(target)) return 'taken';
  try {
    await rename(source, target);
    return 'done';
  } catch (error) {
    if (isAbsence(error)) return 'missing';
    throw error;
  }
}

/** True when there is an entry of this name, also a dangling link. */
export async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    (error: unknown) => (isAbsence(error) ? false : Promise.reject(error)),
  );
}
