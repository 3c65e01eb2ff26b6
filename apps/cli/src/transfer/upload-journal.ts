import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What an upload is told from others by: the same file to the same place. */
export interface UploadIdentity {
  readonly server: string;
  readonly volume: string;
  readonly object: string;
  readonly file: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/** Where uploads that were begun stand, for a later run of the command. */
export interface UploadJournal {
  /** The URL of an upload that was begun and not ended. */
  find(upload: UploadIdentity): Promise<string | undefined>;
  keep(upload: UploadIdentity, url: string): Promise<void>;
  forget(upload: UploadIdentity): Promise<void>;
}

/** A file for each upload, below `folder`: the URLs are secrets until they expire, a day later. */
export function createUploadJournal(folder: string): UploadJournal {
  const fileOf = (upload: UploadIdentity) => {
    const { server, volume, object, file, sizeBytes, modifiedAtMs } = upload;
    const key = JSON.stringify([server, volume, object, file, sizeBytes, modifiedAtMs]);
    return path.join(folder, createHash('sha256').update(key).digest('hex'));
  };
  return {
    find: (upload) =>
      readFile(fileOf(upload), 'utf8').then(
        (text) => text.trim() || undefined,
        () => undefined,
      ),
    async keep(upload, url) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(fileOf(upload), `${url}\n`, { mode: 0o600 });
    },
    forget: (upload) => rm(fileOf(upload), { force: true }),
  };
}
