/** An RFC 3339 time to the minute, in UTC: `2026-01-31 12:00Z`; `-` for none. */
export function formatMinute(time: string | null): string {
  return time === null ? '-' : `${time.slice(0, 10)} ${time.slice(11, 16)}Z`;
}
