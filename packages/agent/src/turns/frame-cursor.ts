import { createValidationError, type InputPlace } from '@berth/contract';
import type { FrameCursor } from '../runs/run-engine.ts';

const CURSOR = /^([A-Za-z0-9_-]{1,64})(?:~(\d{1,4}))?:(\d{1,15})$/;

/** Returns the `id` of a frame. Source: docs/contract/agent-api.md §2, "Frames". */
export function formatFrameCursor({ runId, attempt = 1, seq }: FrameCursor): string {
  return `${runId}${attempt === 1 ? '' : `~${attempt}`}:${seq}`;
}

/**
 * Parses the `id` of a frame. An empty text is the beginning.
 * @throws `invalid` for anything else.
 */
export function parseFrameCursor(text: string, place: InputPlace, name: string): Required<FrameCursor> | undefined {
  if (text === '') return undefined;
  const [, runId, attempt = '1', seq] = CURSOR.exec(text) ?? [];
  if (runId !== undefined) return { runId, attempt: Number(attempt), seq: Number(seq) };
  throw createValidationError([
    { loc: [place, name], msg: 'not the id of a frame: <run>:<number>', type: 'invalid_cursor' },
  ]);
}
