import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { IdSource } from '@berth/kit';
import type { ReceiveOptions, StoredArchive } from '../port/builder.ts';
import { receiveArchive } from './receive-archive.ts';

/** A folder of received archives. */
export type ArchiveStore = ReturnType<typeof createArchiveStore>;

/** Creates a store. @param folder absolute; created if missing. */
export function createArchiveStore(folder: string, ids: IdSource) {
  const receiving = new Set<string>();
  /**
   * Returns the paths of files that are not archives in `keep` and not being received.
   * @param beforeMs Only archives received before this wall time. Default: all.
   */
  const findUnneeded = async (
    keep: readonly StoredArchive[],
    beforeMs = Number.POSITIVE_INFINITY,
  ): Promise<string[]> => {
    const kept = new Set(keep.map(({ path }) => path));
    const found: string[] = [];
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const path = join(folder, name);
      if (kept.has(path) || receiving.has(name.replace(/^\.incoming-/, ''))) continue;
      const stats = await lstat(path).catch(() => undefined);
      if (stats && stats.mtimeMs < beforeMs) found.push(path);
    }
    return found;
  };
  return {
    findUnneeded,
    receive: async (source: Readable, options: ReceiveOptions = {}): Promise<StoredArchive> => {
      const name = `${ids.next('archive')}.tar.gz`;
      receiving.add(name);
      try {
        return await receiveArchive(source, { ...options, folder, name });
      } finally {
        receiving.delete(name);
      }
    },
    discard: async ({ path }: StoredArchive): Promise<void> => {
      // Archives in other places, such as a volume, don't belong to the builder.
      if (dirname(path) === folder) await rm(path, { force: true });
    },
    has: async ({ path, sizeBytes }: StoredArchive): Promise<boolean> =>
      (await stat(path).catch(() => undefined))?.size === sizeBytes,
    /** Deletes every archive that is not in `keep` and not being received. */
    collect: async (keep: readonly StoredArchive[]): Promise<void> => {
      for (const path of await findUnneeded(keep)) await rm(path, { force: true });
    },
  };
}
