import type { Stats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { ignoreMissing, openFolder } from '@berth/runtime/files';

/** An entry of a folder for a backup. */
export interface WalkedEntry {
  /** `prefix` and the path from the root, with `/`. */
  readonly name: string;
  readonly kind: 'folder' | 'file' | 'link';
  readonly stats: Stats;
  /** Valid until the next entry is requested. Open it with `O_NOFOLLOW`. */
  readonly path: string;
  /** The target of a link. */
  readonly target?: string;
}

/**
 * Yields folders, files and links below `root`, each folder before its entries. Services write there meanwhile, so each folder is held
 * open and its entries are opened relative to it: a folder replaced by a link is never followed.
 */
export async function* walkEntries(root: string, prefix: string): AsyncGenerator<WalkedEntry> {
  const handle = await openFolder(root);
  if (!handle) return;
  await using folder = handle;
  const base = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : root;
  for (const child of (await readdir(base)).sort()) {
    const place = path.join(base, child);
    const name = `${prefix}/${child}`;
    const stats = await lstat(place).catch(ignoreMissing);
    if (stats?.isDirectory()) {
      yield { name, kind: 'folder', stats, path: place };
      yield* walkEntries(place, name);
    } else if (stats?.isFile()) yield { name, kind: 'file', stats, path: place };
    else if (stats?.isSymbolicLink()) {
      const target = await readlink(place).catch(ignoreMissing);
      if (target !== undefined) yield { name, kind: 'link', stats, path: place, target };
    }
  }
}
