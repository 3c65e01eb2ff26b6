import type { Lane } from './lanes.ts';
import type { LaneRun } from './run-lane.ts';
import type { Tally } from './tally.ts';

/**
 * The most failures of a run of all tests that are run again. More than that is no accident.
 */
export const MAX_AGAIN = 6;

/**
 * Runs the failed files of a lane again, one at a time: what a busy machine made fail passes then, and is told as flaky. A bug fails again.
 * A fault outside a test is not run again.
 * @param left how many failures may still be run again in this run of the tests.
 * @returns the result of both runs
 */
export async function runAgain(
  lane: Lane,
  first: LaneRun,
  left: number,
  run: (lane: Lane) => Promise<LaneRun>,
): Promise<LaneRun> {
  const { failed } = first.tally;
  const files = new Set(failed.flatMap(({ file }) => file ?? []));
  if (failed.length === 0 || failed.length > left || failed.some(({ file }) => file === undefined)) return first;
  const again = await run({ ...lane, include: [...files], leftOut: {}, maxWorkers: 1 });
  const isFlaky = again.tally.failed.length === 0;
  const tally: Tally = isFlaky
    ? { ...first.tally, passed: first.tally.passed + failed.length, failed: [], flaky: failed }
    : first.tally;
  return { lane: first.lane, seconds: first.seconds + again.seconds, tally };
}
