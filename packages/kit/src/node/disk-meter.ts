import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Adds up what trees take on the disk, as `du` does. A file with several names (hard links) counts once. */
export interface DiskMeter {
  /**
   * Adds a file or a tree, and answers the bytes that nothing added before had. Links are counted, never followed; what is missing or
   * can't be read is left out.
   */
  add(path: string): Promise<number>;
  /** Bytes that the disk would get back if all that was added were removed: files with a further name elsewhere stay. */
  readonly freeableBytes: number;
}

/** Entries of a folder that are looked at together. */
const BATCH = 64;
/** Unit of `st_blocks`. Source: stat(2). */
const BLOCK_BYTES = 512;

export function createDiskMeter(): DiskMeter {
  /** Names not seen yet of each file that has several, by device and inode. */
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
