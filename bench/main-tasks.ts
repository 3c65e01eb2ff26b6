/** An event of Chromium's trace format; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/**
 * Returns how long each task of the pages' main threads worked, in milliseconds of CPU time: other programs of the machine
 * are not counted. `trace` is what Chromium recorded with the category `toplevel`.
 */
export function mainTasks(trace: Buffer): number[] {
  const { traceEvents: events } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  const main = new Set(events.filter(({ args }) => args.name === 'CrRendererMain').map(threadOf));
  return events
    .filter((event) => event.ph === 'X' && event.name.endsWith('RunTask') && main.has(threadOf(event)))
    .map(({ tdur, dur = 0 }) => (tdur ?? dur) / 1_000);
}
