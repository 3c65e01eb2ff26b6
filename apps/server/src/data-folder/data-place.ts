import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from './write-private-file.ts';

const PLACE_NAME = 'place.json';

/** Left in a data folder by a restore; the next start takes over the files it finds there and removes this one. */
export const RESTORED_NAME = 'restored.json';

/** The paths of a data folder and its work root. They are stored in the folder, so that a move or a copy is noticed. */
const Place = z.object({ data_folder: z.string(), work_root: z.string() });

/** How a data folder came to its place. */
export interface Origin {
  /**
   * `stayed`: it was last used here; `moved`: it was last used elsewhere, and is gone there; `copied`: it was last used elsewhere, and
   * is still there; `restored`: it comes from a backup; `unknown`: it is new, or of a version that did not record this.
   */
  readonly kind: 'stayed' | 'moved' | 'copied' | 'restored' | 'unknown';
  /** The former work root, absolute. */
  readonly workRoot: string | undefined;
  /** The former work root was outside the data folder, so it did not come along. */
  readonly wasOutside: boolean;
}

/** Finds out how the data folder `data`, which exists, came to its place. */
export function findOrigin(data: string): Origin {
  const restored = readJson(path.join(data, RESTORED_NAME), Place.pick({ work_root: true }).partial());
  if (restored) return { kind: 'restored', workRoot: restored.work_root, wasOutside: false };
  const place = readJson(path.join(data, PLACE_NAME), Place);
  if (!place) return { kind: 'unknown', workRoot: undefined, wasOutside: false };
  const { data_folder: former, work_root: workRoot } = place;
  const wasOutside = !workRoot.startsWith(former + path.sep);
  if (former === realpathSync(data)) return { kind: 'stayed', workRoot, wasOutside };
  return { kind: existsSync(path.join(former, PLACE_NAME)) ? 'copied' : 'moved', workRoot, wasOutside };
}

/** Records the data folder's place and its work root. */
export function writePlace(data: string, workRoot: string): void {
  const place: z.infer<typeof Place> = { data_folder: realpathSync(data), work_root: workRoot };
  writePrivateFile(path.join(data, PLACE_NAME), `${JSON.stringify(place)}\n`);
}

/** Reads a JSON file; undefined when it is missing. @throws when its content has another shape */
function readJson<T>(file: string, shape: z.ZodType<T>): T | undefined {
  if (!existsSync(file)) return undefined;
  return shape.parse(JSON.parse(readFileSync(file, 'utf8')));
}
