import { comparePaths } from './compare-paths.ts';
import type { RemoteObject } from './list-all-objects.ts';
import type { LocalFile } from './walk-files.ts';

/**
 * Of `files`, those that `objects` does not have: another size, or older. Both are in the order of {@link comparePaths}, and
 * are read side by side, so that no more than one of each is held.
 * @param prefix what an object's path has before the file's.
 * @param onSame told of each file that is left out.
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

/** As far as can be told without reading: what was sent after the file was last written has its bytes. */
function isSame({ sizeBytes, modifiedAtMs }: LocalFile, { size, updated }: RemoteObject): boolean {
  return size === sizeBytes && Date.parse(updated) >= Math.floor(modifiedAtMs);
}
