import { readStored } from '../../../../state/read-stored.ts';

/** An upload that a page reload interrupted. The page can't reopen its files without the person. */
export interface CutOffUpload {
  readonly volume: string;
  /** `''`, or a path with a trailing `/`. */
  readonly folder: string;
  /** Names of the files and folders that were dropped or chosen. */
  readonly names: readonly string[];
}

/** Journal of the uploads in progress, which survives page reloads. */
export interface UploadJournal {
  /** Returns the uploads that the previous page left unfinished; empty if all were complete. */
  read(): readonly CutOffUpload[];
  write(uploads: readonly CutOffUpload[]): void;
}

const STORED_AS = 'berth:uploads';
/** Maximum number of names kept per drop; enough for the person to recognize it. */
const NAMES = 20;

/** Returns a journal in `storage`, that of the tab. */
export function createUploadJournal(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): UploadJournal {
  return {
    read() {
      const kept = readStored(storage, STORED_AS);
      return Array.isArray(kept) ? (kept as CutOffUpload[]) : [];
    },
    write(uploads) {
      if (uploads.length === 0) return storage.removeItem(STORED_AS);
      const kept = uploads.map((upload) => ({ ...upload, names: upload.names.slice(0, NAMES) }));
      storage.setItem(STORED_AS, JSON.stringify(kept));
    },
  };
}
