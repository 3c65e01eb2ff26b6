import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import type { ArchiveEntry } from './read-entries.ts';

/** Maximum size of a file that is held in memory and written while the archive is read on. */
const HELD_BYTES = 65_536;

/** A file created by {@link writeEntryFile}. */
export interface EntryFile {
  readonly sizeBytes: number;
  /** Hex SHA-256 of the content. */
  readonly sha256: string;
  /** Settles when the file is written; rejects with a file system error (`EEXIST` if the name is taken). */
  readonly written: Promise<void>;
}

/** Writes an entry's content to a new file. Resolves once the content has been read. */
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
