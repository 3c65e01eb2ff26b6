import { createValidationError, type InputPlace } from '@berth/contract';
import type { FrameCursor } from '../runs/run-engine.ts';

const CURSOR = /^([A-Za-z0-9_-]{1,64}):(\d{1,15})$/;

/**
 * Parses `<run>:<seq>`, the `id` of a frame. An empty text is the beginning.
 * @throws `invalid` for anything else.
 */
export function parseFrameCursor(text: string, place: InputPlace, name: string): FrameCursor | undefined {
  if (text === '') return undefined;
  const match = CURSOR.exec(text);
  if (match?.[1] !== undefined) return { runId: match[1], seq: Number(match[2]) };
  throw createValidationError([
    { loc: [place, name], msg: 'not the id of a frame: <run>:<number>', type: 'invalid_cursor' },
  ]);
}
