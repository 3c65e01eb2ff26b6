import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const FILE = 'entry.json';

const entrySchema = z.object({
  /** Folders relative to the project. The copies are in the entry's folder, named `0`, `1`, … in this order. */
  folders: z.array(z.string()),
  /** Path of the project at the time of the build; some files contain this path. */
  projectFolder: z.string(),
  sizeBytes: z.number(),
});

/** The metadata of a cache entry. */
export type CacheEntry = z.infer<typeof entrySchema>;

/** Writes the metadata of a new entry. @throws EEXIST if the entry has metadata already. */
export async function writeCacheEntry(folder: string, entry: CacheEntry): Promise<void> {
  await writeFile(join(folder, FILE), JSON.stringify(entry), { mode: 0o600, flag: 'wx' });
}

/** Reads the metadata of an entry; returns undefined if there is no complete entry. */
export async function readCacheEntry(folder: string): Promise<CacheEntry | undefined> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return entrySchema.parse(JSON.parse(text));
  } catch {
    // Truncated by a crash or written by another version: treated as missing.
    return undefined;
  }
}

/** Records the last use of an entry, as the modification time of its metadata. `nowMs` is wall time in milliseconds. */
export async function touchCacheEntry(folder: string, nowMs: number): Promise<void> {
  await utimes(join(folder, FILE), nowMs / 1_000, nowMs / 1_000);
}

/** Returns the time of an entry's last use in wall-clock milliseconds; 0 if the entry is incomplete. */
export async function lastUseMs(folder: string): Promise<number> {
  return (await stat(join(folder, FILE)).catch(() => undefined))?.mtimeMs ?? 0;
}
