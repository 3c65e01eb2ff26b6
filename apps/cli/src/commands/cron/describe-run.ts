import type { ScheduleRun } from '@berth/contract';
import { cleanText } from '../../output/clean-text.ts';

/** What the last try of a run came to: a status, or why there is none. */
export function describeRun({ attempts }: ScheduleRun): string {
  const last = attempts.at(-1);
  if (last === undefined) return '-';
  if (last.status !== null) return String(last.status);
  return last.error === null ? '…' : cleanText(last.error);
}
