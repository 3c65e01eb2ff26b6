import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const FILE = 'entry.json';

const entrySchema = z.object({
  /** Below the entry's folder, `0`, `1`, …: one for each. */
  folders: z.array(z.string()),
  /** Where the project lay when they were made; some files have its path in them. */
  projectFolder: z.string(),
  sizeBytes: z.number(),
});

/** What an entry's own file says. */
export type CacheEntry = z.infer<typeof entrySchema>;

export async function writeCacheEntry(folder: string, entry: CacheEntry): Promise<void> {
  await writeFile(join(folder, FILE), JSON.stringify(entry), { mode: 0o600, flag: 'wx' });
}

/** Undefined when there is no whole entry. */
export async function readCacheEntry(folder: string): Promise<CacheEntry | undefined> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return entrySchema.parse(JSON.parse(text));
  } catch {
    // Torn by a crash, or of another version: the same as none.
    return undefined;
  }
}

/** The time of the entry's own file is when it was used last; wall time, milliseconds. */
export async function touchCacheEntry(folder: string, nowMs: number): Promise<void> {
  await utimes(join(folder, FILE), nowMs / 1_000, nowMs / 1_000);
}

/** 0 for an entry that was never finished. */
export async function lastUseMs(folder: string): Promise<number> {
  return (await stat(join(folder, FILE)).catch(() => undefined))?.mtimeMs ?? 0;
}
