import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Identifies an upload: the same file to the same place. */
export interface UploadIdentity {
  readonly server: string;
  readonly volume: string;
  readonly object: string;
  readonly file: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/** Unfinished uploads, for a later run of the command. */
export type UploadJournal = ReturnType<typeof createUploadJournal>;

/** Creates a journal with a file for each upload in `folder`. The URLs are secrets until they expire after a day. */
export function createUploadJournal(folder: string) {
  const fileOf = (upload: UploadIdentity) => {
    const { server, volume, object, file, sizeBytes, modifiedAtMs } = upload;
    const key = JSON.stringify([server, volume, object, file, sizeBytes, modifiedAtMs]);
    return path.join(folder, createHash('sha256').update(key).digest('hex'));
  };
  return {
    /** Finds the URL of an unfinished upload. */
    find: (upload: UploadIdentity): Promise<string | undefined> =>
      readFile(fileOf(upload), 'utf8').then(
        (text) => text.trim() || undefined,
        () => undefined,
      ),
    async keep(upload: UploadIdentity, url: string): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(fileOf(upload), `${url}\n`, { mode: 0o600 });
    },
    forget: (upload: UploadIdentity): Promise<void> => rm(fileOf(upload), { force: true }),
  };
}
