import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import type { ArchiveEntry } from './read-entries.ts';

/** Up to here a file is held in memory and written beside others, while the archive is read on. */
const HELD_BYTES = 65_536;

export interface EntryFile {
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Settles when the file is written; rejects with what the file system says (`EEXIST` when something has its name). */
  readonly written: Promise<void>;
}

/** Writes an entry's content to a new file. Resolves when the content was read. */
export async function writeEntryFile(
  path: string,
  mode: number,
  entry: Pick<ArchiveEntry, 'content' | 'sizeBytes'>,
): Promise<EntryFile> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  if (entry.sizeBytes <= HELD_BYTES) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry.content) {
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
      chunks.push(chunk);
    }
    const written = writeFile(path, Buffer.concat(chunks), { flag: 'wx', mode });
    return { sizeBytes, sha256: hash.digest('hex'), written };
  }
  await using file = await open(path, 'wx', mode);
  for await (const chunk of entry.content) {
    hash.update(chunk);
    sizeBytes += chunk.byteLength;
    await file.writeFile(chunk);
  }
  return { sizeBytes, sha256: hash.digest('hex'), written: Promise.resolve() };
}
