/** What a tab was uploading when it was loaded anew: files can't be read again without the person. */
export interface CutOffUpload {
  readonly volume: string;
  /** `''`, or with its `/`. */
  readonly folder: string;
  /** Of the files and folders that were dropped or chosen there. */
  readonly names: readonly string[];
}

/** Remembers uploads for as long as they are under way, over reloads of the tab. */
export interface UploadJournal {
  /** What the page before left; empty when all of it was through. */
  read(): readonly CutOffUpload[];
  write(uploads: readonly CutOffUpload[]): void;
}

const STORED_AS = 'berth:uploads';
/** Names that are kept of one drop; the person knows the rest. */
const NAMES = 20;

export function createUploadJournal(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): UploadJournal {
  return {
    read() {
      try {
        const kept: unknown = JSON.parse(storage.getItem(STORED_AS) ?? '[]');
        return Array.isArray(kept) ? (kept as CutOffUpload[]) : [];
      } catch {
        return [];
      }
    },
    write(uploads) {
      if (uploads.length === 0) return storage.removeItem(STORED_AS);
      const kept = uploads.map((upload) => ({ ...upload, names: upload.names.slice(0, NAMES) }));
      storage.setItem(STORED_AS, JSON.stringify(kept));
    },
  };
}
