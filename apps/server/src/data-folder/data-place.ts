import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from './write-private-file.ts';

const PLACE_NAME = 'place.json';

/** Left in a data folder by a restore; the next start takes over the files it finds there and removes this one. */
export const RESTORED_NAME = 'restored.json';

/** Where a data folder and its services' files lie; kept in the folder itself, so that a move or a copy is noticed. */
const Place = z.object({ data_folder: z.string(), work_root: z.string() });

/** How a data folder came to where it is. */
export interface Origin {
  /**
   * `stayed`: a server ran on it here; `moved`: elsewhere, where it no longer is; `copied`: elsewhere, where it still is;
   * `restored`: it was made of a backup; `unknown`: it is new, or of a version that did not write this down.
   */
  readonly kind: 'stayed' | 'moved' | 'copied' | 'restored' | 'unknown';
  /** Where the services' files were then, absolute. */
  readonly workRoot: string | undefined;
  /** The services' files were not in the data folder, and did not come along with it. */
  readonly wasOutside: boolean;
}

/** @param data exists. */
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

/** From here on the folder belongs where it is. */
export function writePlace(data: string, workRoot: string): void {
  const place: z.infer<typeof Place> = { data_folder: realpathSync(data), work_root: workRoot };
  writePrivateFile(path.join(data, PLACE_NAME), `${JSON.stringify(place)}\n`);
}

/** Undefined when it is not there. @throws when it is something else. */
function readJson<T>(file: string, shape: z.ZodType<T>): T | undefined {
  if (!existsSync(file)) return undefined;
  return shape.parse(JSON.parse(readFileSync(file, 'utf8')));
}
