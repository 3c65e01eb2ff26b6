import { opendirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { codeOf, isAbsence, type OpenFolder } from '@berth/kit/node';
import type { ByteString } from './byte-string.ts';

/** A directory entry that may contain objects: a file or a folder. */
export interface FolderEntry {
  readonly isFolder: boolean;
  /** Sort key: the name, followed by a slash for a folder, as in the paths of its objects. */
  readonly key: ByteString;
}

/** Entries read at once, in well under a millisecond, before other work gets a turn. */
const BATCH_ENTRIES = 512;

/**
 * Yields the files and folders of a folder in batches, in no order. Small batches of synchronous calls: a promise per
 * entry costs twenty times the read.
 */
export async function* readEntries(folder: OpenFolder): AsyncGenerator<readonly FolderEntry[]> {
  try {
    using entries = opendirSync(folder.at('.'), { encoding: 'latin1', bufferSize: BATCH_ENTRIES });
    for (let isMore = true; isMore; ) {
      const batch: FolderEntry[] = [];
      for (let count = 0; isMore && count < BATCH_ENTRIES; count++) {
        const entry = entries.readSync();
        isMore = entry !== null;
        if (entry?.isDirectory()) batch.push({ isFolder: true, key: `${entry.name}/` as ByteString });
        else if (entry?.isFile()) batch.push({ isFolder: false, key: entry.name as ByteString });
      }
      yield batch;
      await setImmediate();
    }
  } catch (error) {
    // The folder was removed, or its owner made it unreadable.
    if (!isAbsence(error) && codeOf(error) !== 'EACCES') throw error;
  }
}
