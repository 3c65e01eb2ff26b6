import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { writePrivateFile } from '@berth/kit/node';

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
    /** Finds the URL of an unfinished upload; undefined when there is none, or none that can be read. */
    async find(upload: UploadIdentity): Promise<string | undefined> {
      const text = await readFile(fileOf(upload), 'utf8').catch(() => '');
      return URL.canParse(text.trim()) ? text.trim() : undefined;
    },
    async keep(upload: UploadIdentity, url: string): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writePrivateFile(fileOf(upload), `${url}\n`);
    },
    forget: (upload: UploadIdentity): Promise<void> => rm(fileOf(upload), { force: true }),
  };
}
