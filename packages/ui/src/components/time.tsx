import { useEffect, useReducer } from 'react';
import { useTexts } from '../text/text-context.tsx';

export interface TimeProps {
  /** Epoch milliseconds, or an RFC 3339 string. */
  readonly at: number | string;
  /** `ago`, the default: relative to now, kept current. `moment`: date and time to the minute in the browser's zone. */
  readonly look?: 'ago' | 'moment';
  /** Returns the sentence that has the relative time in it, e.g. "added 3 minutes ago". */
  readonly says?: (ago: string) => string;
}

const MINUTE_MS = 60_000;

/** A time. Hovering shows it with date, zone and in ISO 8601 (UTC). */
export function Time({ at, look = 'ago', says = String }: TimeProps) {
  const { formats } = useTexts();
  const [, tick] = useReducer((count: number) => count + 1, 0);
  const date = new Date(at);
  const ageMs = Math.abs(Date.now() - date.getTime());
  // A text in seconds changes each second, one in minutes each minute, and all others at most each hour.
  const everyMs = ageMs < MINUTE_MS ? 1_000 : ageMs < 60 * MINUTE_MS ? MINUTE_MS : 60 * MINUTE_MS;
  useEffect(() => {
    if (look !== 'ago') return;
    const timer = setInterval(tick, everyMs);
    return () => clearInterval(timer);
  }, [look, everyMs]);
  const iso = Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
  return (
    <time dateTime={iso} title={`${formats.moment(at)}\n${iso}`}>
      {look === 'ago' ? says(formats.ago(at, Date.now())) : formats.time(at)}
    </time>
  );
}
