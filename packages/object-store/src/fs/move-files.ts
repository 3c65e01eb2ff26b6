import type { BigIntStats } from 'node:fs';
import { link, rename, unlink } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { codeOf, isAbsence, makeBelow, type OpenFolder, openBelow, openFolder } from '@berth/kit/node';
import type { Precondition, PutResult } from '../object-store.ts';
import { isFolder, leadsThrough, notMet } from './create-file-placer.ts';
import { lstatOf, splitPath, toStoredObject } from './object-files.ts';

/**
 * Renames a file of a volume. With `isAbsent`, the file is linked before it is unlinked, because rename(2) would
 * replace the target. A crash in between leaves both names of the file; the same move completes it.
 * @throws BerthError `not_found`, `precondition_failed`, `conflict`
 */
export async function moveFile(
  volume: OpenFolder,
  from: string,
  to: string,
  { isAbsent = false }: Pick<Precondition, 'isAbsent'>,
): Promise<PutResult> {
  const [source, target] = [splitPath(from), splitPath(to)];
  await using sourceFolder = await openBelow(volume, source.parents);
  if (!sourceFolder) throw isMissing(from);
  const stats = await lstatOf(sourceFolder, source.name);
  if (!stats?.isFile()) throw isMissing(from);
  await using targetFolder = await makeBelow(volume, target.parents);
  if (!targetFolder) throw leadsThrough(to);
  const before = await lstatOf(targetFolder, target.name);
  if (before?.isDirectory()) throw isFolder(to);
  const [sourceName, targetName] = [sourceFolder.at(source.name), targetFolder.at(target.name)];
  const isSame = before !== undefined && isSameFile(before, stats);
  try {
    if (isSame) await unlink(sourceName);
    else if (isAbsent) await renameToNew(sourceName, targetName, to, before !== undefined);
    else await rename(sourceName, targetName);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw isMissing(from);
    if (['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw isFolder(to);
    throw error;
  }
  await targetFolder.handle.sync();
  await sourceFolder.handle.sync();
  const replacedBytes = !isSame && before?.isFile() ? Number(before.size) : undefined;
  return { object: toStoredObject(to, stats), replacedBytes };
}

/** Renames a folder of a volume; both paths end in `/`. Returns false when `from` does not exist or `to` does. */
export async function moveFolder(volume: OpenFolder, from: string, to: string): Promise<boolean> {
  const [source, target] = [splitPath(from.slice(0, -1)), splitPath(to.slice(0, -1))];
  await using sourceFolder = await openBelow(volume, source.parents);
  if (!sourceFolder) return false;
  const moved = await openFolder(sourceFolder.at(source.name));
  if (!moved) return false;
  await moved[Symbol.asyncDispose]();
  await using targetFolder = await makeBelow(volume, target.parents);
  if (!targetFolder) throw leadsThrough(to);
  try {
    // rename(2) replaces only an empty folder, which is not visible to clients.
    await rename(sourceFolder.at(source.name), targetFolder.at(target.name));
  } catch (error) {
    if (isAbsence(error) || ['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
  await targetFolder.handle.sync();
  await sourceFolder.handle.sync();
  return true;
}

async function renameToNew(source: string, target: string, path: string, isTaken: boolean): Promise<void> {
  if (isTaken) throw notMet(path);
  try {
    await link(source, target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw notMet(path);
    // Only root may link to a file that a service owns, and some file systems have no links. Nothing was at the target
    // a moment ago.
    if (!['EPERM', 'ENOTSUP', 'EMLINK'].includes(codeOf(error) ?? '')) throw error;
    return await rename(source, target);
  }
  await unlink(source);
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function isMissing(path: string) {
  return createError('not_found', `The volume has no object "${path}".`);
}
