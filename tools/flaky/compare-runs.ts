import type { Failure } from '../test/tally.ts';

/** A test that failed in at least one run. */
export interface Suspect {
  readonly test: string;
  /** Numbers of the runs it failed in, from 1. */
  readonly failedIn: readonly number[];
  /** The error of its first failure. */
  readonly reason: string;
}

/** Differences between runs of the same tests. */
export interface Comparison {
  /** Failed in some runs and not in others; the most frequent first. */
  readonly flaky: readonly Suspect[];
  /** Failed in every run. */
  readonly failing: readonly Suspect[];
}

/** Compares runs by their failures. */
export function compareRuns(runs: readonly (readonly Failure[])[]): Comparison {
  const suspects = new Map<string, { failedIn: number[]; reason: string }>();
  for (const [index, failures] of runs.entries()) {
    for (const { test, reason } of failures) {
      const suspect = suspects.get(test) ?? { failedIn: [], reason };
      suspects.set(test, suspect);
      if (suspect.failedIn.at(-1) !== index + 1) suspect.failedIn.push(index + 1);
    }
  }
  const all = [...suspects]
    .map(([test, suspect]) => ({ test, ...suspect }))
    .sort((a, b) => b.failedIn.length - a.failedIn.length);
  const isFailing = ({ failedIn }: Suspect) => failedIn.length === runs.length;
  return { flaky: all.filter((one) => !isFailing(one)), failing: all.filter(isFailing) };
}
