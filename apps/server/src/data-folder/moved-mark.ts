import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createError } from '@berth/contract';
import * as z from 'zod';
import { writePrivateFile } from './write-private-file.ts';

/** Marks a data folder whose platform runs elsewhere. */
export const MOVED_NAME = 'moved.json';

const Mark = z.object({ to: z.literal('kubernetes'), state: z.enum(['switching', 'switched']), at: z.string() });

/** The mark of a data folder. `switching`: the last step of the move was begun. */
export type MovedMark = z.infer<typeof Mark>;

/** Returns the mark of a data folder; undefined for one that a server may use. */
export function readMovedMark(data: string): MovedMark | undefined {
  const file = path.join(data, MOVED_NAME);
  return existsSync(file) ? Mark.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/** Marks a data folder, on disk when it returns. From then on no server starts on it. */
export function writeMovedMark(data: string, mark: MovedMark): void {
  writePrivateFile(path.join(data, MOVED_NAME), `${JSON.stringify(mark)}\n`);
}

/** @throws BerthError `unavailable` when the platform of a data folder runs elsewhere */
export function refuseMoved(data: string): void {
  const mark = readMovedMark(data);
  if (mark === undefined) return;
  const file = path.join(data, MOVED_NAME);
  throw createError(
    'unavailable',
    mark.state === 'switching'
      ? `The platform of ${data} is being moved to Kubernetes. Run \`berth admin migrate --to kubernetes --switch\` again, which completes the move. To stay here instead, delete ${file}.`
      : `The platform of ${data} was moved to Kubernetes at ${mark.at}. Start it there. To go back to its state of that time, stop it there, delete ${file} and start again: what has changed on Kubernetes since then is not here.`,
  );
}
