import { openAsBlob } from 'node:fs';

/** A file on disk as an archive to deploy. It is read while it is sent, never into memory as a whole. */
export function openArchive(path: string): Promise<Blob> {
  return openAsBlob(path, { type: 'application/gzip' });
}
