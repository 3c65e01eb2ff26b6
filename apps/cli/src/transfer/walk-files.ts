import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { comparePaths } from './compare-paths.ts';

/** A file that can be sent. */
export interface LocalFile {
  /** As an object's path: relative to where the walk began, `/`, NFC. */
  readonly path: string;
  readonly absolute: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/**
 * The files below `root` in the order of {@link comparePaths}; no more than a folder's names are held at once. Links are
 * not followed.
 * @param onSkip told of each that is neither a file nor a folder.
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
  // A folder sorts as the paths in it do: with the slash after its name.
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
