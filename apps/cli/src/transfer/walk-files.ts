import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

import type { RemoteObject } from './list-all-objects.ts';

/** A local file to upload. */
export interface LocalFile {
  /** The object's path: relative to the walk's root, with `/`, in NFC. */
  readonly path: string;
  readonly absolute: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/**
 * Yields the files below `root` in the order of {@link comparePaths}. Links aren't followed, and only one folder's names per level are in
 * memory.
 * @param onSkip called for each entry that is neither a file nor a folder
 */
export async function* walkFiles(
  root: string,
  onSkip: (path: string) => void = () => {},
  prefix = '',
): AsyncGenerator<LocalFile> {
  const children = (await readdir(root, { withFileTypes: true })).map((child) => ({
    child,
    name: child.name.normalize('NFC'),
  }));
  // A folder sorts by its name with a slash, as the paths in it do.
  const keyOf = ({ child, name }: (typeof children)[number]) => (child.isDirectory() ? `${name}/` : name);
  children.sort((one, other) => comparePaths(keyOf(one), keyOf(other)));
  for (const { child, name } of children) {
    const absolute = path.join(root, child.name);
    if (child.isDirectory()) yield* walkFiles(absolute, onSkip, `${prefix}${name}/`);
    else if (child.isFile()) {
      const { size, mtimeMs } = await lstat(absolute);
      yield { path: prefix + name, absolute, sizeBytes: size, modifiedAtMs: mtimeMs };
    } else onSkip(prefix + name);
  }
}

/** Compares paths in the order in which volumes list objects: by their bytes in UTF-8. */
export function comparePaths(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/**
 * Yields the files that `objects` lacks or has in another size or an older version. Both are in the order of {@link comparePaths} and
 * are merged, so that only one of each is in memory.
 * @param prefix the objects' prefix before the files' paths
 * @param onSame called for each file that is left out
 */
export async function* selectChanged(
  files: AsyncIterable<LocalFile>,
  objects: AsyncIterator<RemoteObject>,
  prefix: string,
  onSame: (file: LocalFile) => void,
): AsyncGenerator<LocalFile> {
  let there = await objects.next();
  for await (const file of files) {
    const path = prefix + file.path;
    while (!there.done && comparePaths(there.value.path, path) < 0) there = await objects.next();
    if (!there.done && there.value.path === path && isSame(file, there.value)) onSame(file);
    else yield file;
  }
}

/** Returns true when the object has the file's size and is newer than its last change. Contents aren't read. */
function isSame({ sizeBytes, modifiedAtMs }: LocalFile, { size, updated }: RemoteObject): boolean {
  return size === sizeBytes && Date.parse(updated) >= Math.floor(modifiedAtMs);
}
