import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { measureTree } from '../files/measure-tree.ts';
import type { CachePlace } from './cache-places.ts';

const useSchema = z.object({ sizeBytes: z.number(), usedAtMs: z.number() });

/** How large a home folder is, and when a build used it last (wall time, milliseconds). */
export type HomeUse = z.infer<typeof useSchema>;

const fileOf = (place: CachePlace) => join(place.folder, 'home.json');

/** Measures the home folder and notes that it was used; nothing to do without one. */
export async function noteHomeUse(place: CachePlace, nowMs: number): Promise<void> {
  if ((await stat(place.home).catch(() => undefined)) === undefined) return;
  const use: HomeUse = { sizeBytes: await measureTree(place.home), usedAtMs: nowMs };
  const temporary = `${fileOf(place)}.tmp`;
  await writeFile(temporary, JSON.stringify(use), { mode: 0o600 });
  await rename(temporary, fileOf(place));
}

/** Undefined when there is no home folder; one that was never measured counts from its own time, with no size. */
export async function readHomeUse(place: CachePlace): Promise<HomeUse | undefined> {
  const found = await stat(place.home).catch(() => undefined);
  if (found === undefined) return undefined;
  try {
    return useSchema.parse(JSON.parse(await readFile(fileOf(place), 'utf8')));
  } catch {
    return { sizeBytes: 0, usedAtMs: found.mtimeMs };
  }
}
