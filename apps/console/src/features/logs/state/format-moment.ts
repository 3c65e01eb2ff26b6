/**
 * Returns a function that formats RFC 3339 times to the millisecond, in the browser's zone or UTC. Adds the date unless
 * it is today's.
 */
export function createMomentFormat(language: string, nowMs: number, isUtc = false): (timestamp: string) => string {
  const zone = isUtc ? { timeZone: 'UTC' } : {};
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', ...zone } as const;
  const short = new Intl.DateTimeFormat(language, { ...time, fractionalSecondDigits: 3 });
  const long = new Intl.DateTimeFormat(language, {
    ...time,
    fractionalSecondDigits: 3,
    month: '2-digit',
    day: '2-digit',
  });
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'short', ...zone });
  const today = day.format(nowMs);
  return (timestamp) => {
    const at = new Date(timestamp);
    return (day.format(at) === today ? short : long).format(at);
  };
}
