/** Limits of what a person feels, in milliseconds: docs/performance.md, "Pages". */
export const LIMITS_MS = { firstRow: 1_000, task: 100, interaction: 100 } as const;

/** What one journey through a page measured, in milliseconds. */
export interface Journey {
  readonly name: string;
  /** Until what the journey waits for was shown, by the clock. */
  readonly tookMs: number;
  /** Whether `tookMs` is the time to a first row, which has a limit. */
  readonly isFirstRow: boolean;
  /** Longest task by the time that the main thread worked on it. */
  readonly taskCpuMs: number;
  /** The same by the clock, as the Long Tasks API reports it; 0 for less than 50 ms. */
  readonly taskMs: number;
  /** Time from each interaction to its next paint. */
  readonly interactionsMs: readonly number[];
  /** Why the journey didn't reach its end; undefined if it did. */
  readonly failure?: string | undefined;
}

/** Returns the 95th percentile (nearest rank); 0 without values. */
export function p95Of(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? 0;
}

/** Returns what breaks a limit, one sentence each. Empty when everything is met. A run without journeys is no success. */
export function findMisses(journeys: readonly Journey[]): string[] {
  if (journeys.length === 0) return ['No journey was measured.'];
  const p95Ms = p95Of(journeys.flatMap(({ interactionsMs }) => interactionsMs));
  const misses = journeys.flatMap(({ name, tookMs, isFirstRow, taskCpuMs, failure }) => [
    ...(failure === undefined ? [] : [`${name}: failed: ${failure}`]),
    ...(isFirstRow && tookMs > LIMITS_MS.firstRow ? [`${name}: first row after ${tookMs} ms.`] : []),
    ...(taskCpuMs > LIMITS_MS.task ? [`${name}: a task of ${taskCpuMs} ms.`] : []),
  ]);
  return p95Ms > LIMITS_MS.interaction ? [...misses, `Interaction to next paint: p95 ${p95Ms} ms.`] : misses;
}

const HEAD = ['journey', 'took', 'limit', 'task CPU', 'limit', 'task clock', 'interactions', 'p95', 'result'];

/** Returns the journeys as a table in plain text, with their limits. */
export function renderTable(journeys: readonly Journey[]): string {
  const rows = journeys.map((journey) => {
    const { name, tookMs, isFirstRow, taskCpuMs, taskMs, interactionsMs } = journey;
    return [
      ...[name, tookMs, isFirstRow ? LIMITS_MS.firstRow : '', taskCpuMs, LIMITS_MS.task, taskMs || '< 50'],
      ...[interactionsMs.length || '', interactionsMs.length > 0 ? p95Of(interactionsMs) : ''],
      findMisses([{ ...journey, interactionsMs: [] }]).length === 0 ? 'pass' : 'FAIL',
    ].map(String);
  });
  const all = journeys.flatMap(({ interactionsMs }) => interactionsMs);
  const p95Ms = p95Of(all);
  const verdict = p95Ms <= LIMITS_MS.interaction ? 'pass' : 'FAIL';
  const total = [`all interactions, limit ${LIMITS_MS.interaction}`, '', '', '', '', '', all.length, p95Ms, verdict];
  const lines = [HEAD, ...rows, total.map(String)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}
