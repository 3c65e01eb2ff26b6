import { lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { IdSource } from '@berth/kit';
import type { Builder } from '../port/builder.ts';
import { receiveArchive } from './receive-archive.ts';

/** Received archives in a folder of their own. */
export interface ArchiveStore {
  readonly receive: Builder['receive'];
  readonly discard: Builder['discard'];
  /**
   * Paths of archives that are not in `keep` and not being received.
   * @param beforeMs leaves out what was received since; wall time. Absent: nothing.
   */
  findUnneeded(keep: readonly string[], beforeMs?: number): Promise<string[]>;
  /** Deletes every archive whose path is not in `keep` and that is not being received. */
  collect(keep: readonly string[]): Promise<void>;
}

/** @param folder absolute; made when it is missing. */
export function createArchiveStore(folder: string, ids: IdSource): ArchiveStore {
  const receiving = new Set<string>();
  const findUnneeded = async (keep: readonly string[], beforeMs = Number.POSITIVE_INFINITY) => {
    const kept = new Set(keep);
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
    async receive(source, options = {}) {
      const name = `${ids.next('archive')}.tar.gz`;
      receiving.add(name);
      try {
        return await receiveArchive(source, { ...options, folder, name });
      } finally {
        receiving.delete(name);
      }
    },
    async discard({ path }) {
      // One that lies elsewhere, such as in a volume, is not the builder's to delete.
      if (dirname(path) === folder) await rm(path, { force: true });
    },
    async collect(keep) {
      for (const path of await findUnneeded(keep)) await rm(path, { force: true });
    },
  };
}
