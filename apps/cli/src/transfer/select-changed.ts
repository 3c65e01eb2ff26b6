import { comparePaths } from './compare-paths.ts';
import type { RemoteObject } from './list-all-objects.ts';
import type { LocalFile } from './walk-files.ts';

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
