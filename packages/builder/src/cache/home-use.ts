import { lstat, opendir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CachePlace } from './cache-places.ts';

const useSchema = z.object({ sizeBytes: z.number(), usedAtMs: z.number() });

/** Size and last use of a home folder (wall time, milliseconds). */
export type HomeUse = z.infer<typeof useSchema>;

const fileOf = (place: CachePlace) => join(place.folder, 'home.json');

/** Measures the home folder and records its use at `nowMs`; does nothing if there is no home folder. */
export async function noteHomeUse(place: CachePlace, nowMs: number): Promise<void> {
  if ((await stat(place.home).catch(() => undefined)) === undefined) return;
  const use: HomeUse = { sizeBytes: await measureTree(place.home), usedAtMs: nowMs };
  const temporary = `${fileOf(place)}.tmp`;
  await writeFile(temporary, JSON.stringify(use), { mode: 0o600 });
  await rename(temporary, fileOf(place));
}

/**
 * Returns the recorded use; undefined if there is no home folder. A home folder without a record has size 0 and its
 * modification time.
 */
export async function readHomeUse(place: CachePlace): Promise<HomeUse | undefined> {
  const found = await stat(place.home).catch(() => undefined);
  if (found === undefined) return undefined;
  try {
    return useSchema.parse(JSON.parse(await readFile(fileOf(place), 'utf8')));
  } catch {
    return { sizeBytes: 0, usedAtMs: found.mtimeMs };
  }
}

/**
 * Returns the total size in bytes of the readable files below `folder`. The result is approximate if the tree changes
 * meanwhile.
 */
async function measureTree(folder: string): Promise<number> {
  let sizeBytes = 0;
  const entries = await opendir(folder).catch(() => undefined);
  if (entries === undefined) return 0;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sizeBytes += await measureTree(path);
    else sizeBytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
  }
  return sizeBytes;
}
