import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The unit of `st_blocks`, whatever the file system's block size (stat(2)). */
const BLOCK_BYTES = 512;
const PARALLEL_ENTRIES = 16;

/**
 * Returns the bytes that a folder takes on disk. Doesn't follow symlinks, skips entries that vanish meanwhile, and stops counting beyond
 * `limitBytes`.
 */
export async function measureDisk(folder: string, limitBytes = Number.POSITIVE_INFINITY): Promise<number> {
  let bytes = 0;
  const measure = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (let start = 0; start < entries.length && bytes <= limitBytes; start += PARALLEL_ENTRIES) {
      await Promise.all(
        entries.slice(start, start + PARALLEL_ENTRIES).map(async (entry) => {
          const inner = join(path, entry.name);
          if (entry.isDirectory()) return measure(inner);
          const stats = await lstat(inner).catch(() => undefined);
          bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
        }),
      );
    }
  };
  await measure(folder);
  return bytes;
}
