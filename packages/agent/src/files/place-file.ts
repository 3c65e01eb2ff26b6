import { rename } from 'node:fs/promises';
import { makePlace, type WorkspacePath } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { codeOf, type OpenFolder } from '@berth/kit/node';
import type { StagedFile } from './incoming.ts';
import { moveFile } from './move-new.ts';

/** A staged file and its path in the workspace. */
export interface NewFile {
  readonly path: WorkspacePath;
  readonly staged: Pick<StagedFile, 'file'>;
}

/**
 * Moves a staged file to its path atomically, replacing an existing file.
 * @throws `conflict` when the path names a folder, leads through a file, or, with `isExclusive`, is taken.
 */
export async function placeFile(root: OpenFolder, { path, staged }: NewFile, isExclusive = false): Promise<void> {
  await using place = await makePlace(root, path);
  const target = place.folder.at(place.name);
  if (!isExclusive) await renameOver(staged.file, target, path);
  else if ((await moveFile(staged.file, target)) !== 'done') throw createError('conflict', `"${path}" already exists.`);
  await place.folder.handle.sync();
}

/** @throws `conflict` when a folder is there. */
export async function renameOver(file: string, target: string, path: WorkspacePath): Promise<void> {
  try {
    await rename(file, target);
  } catch (error) {
    if (['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw isFolder(path);
    throw error;
  }
}

export function isFolder(path: WorkspacePath) {
  return createError('conflict', `"${path}" is a folder. Choose another path.`);
}
