import type { ScheduleRun, ScheduleRunStatus } from '@berth/contract';
import { cleanText } from '../../output/clean-text.ts';
import type { Style } from '../../output/style.ts';

/** Returns the status of a run's last attempt, or its error. */
export function describeRun({ attempts }: ScheduleRun): string {
  const last = attempts.at(-1);
  if (last === undefined) return '-';
  if (last.status !== null) return String(last.status);
  return last.error === null ? '…' : cleanText(last.error);
}

/** Colors `text` by the status of a run. */
export function paintRun(status: ScheduleRunStatus | undefined, text: string, style: Style): string {
  if (status === 'succeeded') return style.green(text);
  if (status === 'failed') return style.red(text);
  return status === 'cancelled' || status === undefined ? style.dim(text) : style.yellow(text);
}

/** Formats an RFC 3339 time to the minute in UTC, `2026-01-31 12:00Z`; `-` for none. */
export function formatMinute(time: string | null): string {
  return time === null ? '-' : `${time.slice(0, 10)} ${time.slice(11, 16)}Z`;
}
