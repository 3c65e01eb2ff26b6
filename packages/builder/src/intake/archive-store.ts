import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { IdSource } from '@berth/kit';
import type { Builder } from '../builder.ts';
import { receiveArchive } from './receive-archive.ts';

/** Received archives in a folder of their own. */
export interface ArchiveStore {
  readonly receive: Builder['receive'];
  readonly discard: Builder['discard'];
  /** Deletes every archive whose path is not in `keep` and that is not being received. */
  collect(keep: readonly string[]): Promise<void>;
}

/** @param folder absolute; made when it is missing. */
export function createArchiveStore(folder: string, ids: IdSource): ArchiveStore {
  const receiving = new Set<string>();
  return {
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
      const kept = new Set(keep);
      for (const name of await readdir(folder).catch((): string[] => [])) {
        const path = join(folder, name);
        const isIncoming = receiving.has(name.replace(/^\.incoming-/, ''));
        if (!kept.has(path) && !isIncoming) await rm(path, { force: true });
      }
    },
  };
}
