import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Measures the disk space that files and trees use, as `du` does. A file with several hard links counts once. */
export interface DiskMeter {
  /**
   * Adds a file or a tree and returns its size in bytes, without files that were added before. Symbolic links are
   * counted, never followed. Entries that are missing or unreadable are skipped.
   */
  add(path: string): Promise<number>;
  /** Bytes that removing everything added would free. A file with further hard links elsewhere does not count. */
  readonly freeableBytes: number;
}

/** Folder entries that are read at the same time. */
const BATCH = 64;
/** Unit of `st_blocks`. Source: stat(2). */
const BLOCK_BYTES = 512;

/** Creates a meter that has measured nothing yet. */
export function createDiskMeter(): DiskMeter {
  /** For each file with several hard links, by device and inode: the number of links not added yet. */
  const unseenNames = new Map<string, number>();
  let freeableBytes = 0;

  const addFile = ({ dev, ino, nlink, blocks }: Stats): number => {
    const bytes = blocks * BLOCK_BYTES;
    const id = `${dev}:${ino}`;
    const known = unseenNames.get(id);
    const unseen = (known ?? nlink) - 1;
    if (nlink > 1) unseenNames.set(id, unseen);
    if (unseen === 0) freeableBytes += bytes;
    return known === undefined ? bytes : 0;
  };
  const add = async (path: string): Promise<number> => {
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) return 0;
    if (!stats.isDirectory()) return addFile(stats);
    const own = stats.blocks * BLOCK_BYTES;
    freeableBytes += own;
    let total = own;
    const names = await readdir(path).catch((): string[] => []);
    for (let start = 0; start < names.length; start += BATCH) {
      const batch = names.slice(start, start + BATCH);
      for (const bytes of await Promise.all(batch.map((name) => add(join(path, name))))) total += bytes;
    }
    return total;
  };

  return {
    add,
    get freeableBytes() {
      return freeableBytes;
    },
  };
}
