import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { comparePaths } from './compare-paths.ts';

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
