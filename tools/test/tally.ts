/** A test that did not run. */
export interface Skip {
  readonly test: string;
  readonly reason: string;
  /**
   * The code itself says that the test does not apply (a driver that deviates from its contract, an isolation level that has no users);
   * otherwise the machine lacks something, which in CI is a failure.
   */
  readonly isByDesign: boolean;
}

/** A test that failed, or a fault outside a test: a file that can't be loaded, an unhandled rejection. */
export interface Failure {
  readonly test: string;
  /** The test file, from the root of the repo; undefined for a fault outside a test. */
  readonly file?: string;
  /** What was thrown: its message, and where. */
  readonly reason: string;
}

/** The results of a run. */
export interface Tally {
  readonly passed: number;
  readonly failed: readonly Failure[];
  readonly skipped: readonly Skip[];
  /** Passed when they ran again. */
  readonly flaky?: readonly Failure[];
}

/** The tally of a run without tests. */
export const NOTHING: Tally = { passed: 0, failed: [], skipped: [] };

/** Adds two tallies. */
export function addTallies(a: Tally, b: Tally): Tally {
  return {
    passed: a.passed + b.passed,
    failed: [...a.failed, ...b.failed],
    skipped: [...a.skipped, ...b.skipped],
    flaky: [...(a.flaky ?? []), ...(b.flaky ?? [])],
  };
}

/** Describes failures for the end of a long log. */
export function describeFailures(failed: Tally['failed']): string[] {
  return failed.flatMap(({ test, reason }) => [`  ${test}`, ...reason.split('\n').map((line) => `      ${line}`)]);
}

/** Describes skips by reason, the most frequent first. */
export function describeSkips(skipped: Tally['skipped']): string[] {
  const counts = new Map<string, string[]>();
  for (const { test, reason } of skipped) counts.set(reason, [...(counts.get(reason) ?? []), test]);
  return [...counts]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([reason, tests]) => `  ${tests.length} × ${reason} (e.g. ${tests[0]})`);
}

/** Describes how long each lane took, the slowest first, and the total. */
export function describeRuns(runs: readonly { readonly lane: string; readonly seconds: number }[]): string[] {
  const all = { lane: 'all', seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0) };
  return [...runs.toSorted((a, b) => b.seconds - a.seconds), all].map(
    ({ lane, seconds }) => `  ${`${seconds} s`.padStart(7)}  ${lane}`,
  );
}

/** Creates a skip from the reason that a test gave. A test without a reason was never meant to run here. */
export function toSkip(test: string, note: string | undefined): Skip {
  const isByDesign = note === undefined || note.startsWith('by design');
  return { test, reason: note ?? 'by design: does not apply to this driver or isolation level', isByDesign };
}

/** Returns the line that every run of the tests ends with. */
export function closingLine(tally: Tally): string {
  return `${tally.passed} passed, ${tally.failed.length} failed, ${tally.skipped.length} skipped`;
}
