/** Writes RFC 3339 times as a log shows them, to the millisecond, in the browser's zone; the day where it isn't today. */
export function createMomentFormat(language: string, nowMs: number): (timestamp: string) => string {
  const today = new Date(nowMs).toDateString();
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const short = new Intl.DateTimeFormat(language, { ...time, fractionalSecondDigits: 3 });
  const long = new Intl.DateTimeFormat(language, {
    ...time,
    fractionalSecondDigits: 3,
    month: '2-digit',
    day: '2-digit',
  });
  return (timestamp) => {
    const at = new Date(timestamp);
    return (at.toDateString() === today ? short : long).format(at);
  };
}
