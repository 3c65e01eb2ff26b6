// Runs the tests lane by lane; at the end it says how long each lane took, what was skipped and why, and what failed. `npm test`.
import { LANES, type Lane } from './lanes.ts';
import { MAX_AGAIN, runAgain } from './run-again.ts';
import { type LaneRun, runLane } from './run-lane.ts';
import { selectLanes } from './select-lanes.ts';
import { addTallies, closingLine, describeFailures, describeRuns, describeSkips, NOTHING } from './tally.ts';

const HELP = `usage: npm test [-- [LANE|PATH]…]

Runs the tests of all lanes, of the lanes that are named, or the given test files and folders as their lanes run them.
At the end it prints how long each lane took, what was skipped and why, and what failed.
With CI=true, up to ${MAX_AGAIN} tests that failed run again alone; those that pass then are listed as flaky, and don't fail the run.
Exit code: 0 when all passed, 1 when something failed, 2 for wrong words.

Lanes: ${LANES.map(({ name }) => name).join(', ')} (tools/test/lanes.ts)

  npm test
  npm test -- unit browser
  npm test -- tests/acceptance/logs.test.ts
  npm test -- packages/kit apps/cli/src/pack
`;

const words = process.argv.slice(2);
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(HELP);
  process.exit(0);
}
let lanes: readonly Lane[] = [];
try {
  lanes = selectLanes(words);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
  process.exit(2);
}
// A developer wants to see at once that a test fails, CI whether it is the machine's doing.
let left = process.env['CI'] === 'true' ? MAX_AGAIN : 0;
const runs: LaneRun[] = [];
for (const lane of lanes) {
  console.log(`\n=== ${lane.name} ===`);
  const first = await runLane(lane, ['default']);
  const run = await runAgain(lane, first, left, (again) => {
    console.log(`\n=== ${lane.name}, what failed, again ===`);
    return runLane(again, ['default']);
  });
  left -= first.tally.failed.length;
  runs.push(run);
  console.log(`${run.lane}: ${closingLine(run.tally)} in ${run.seconds} s`);
}

let total = runs.reduce((sum, { tally }) => addTallies(sum, tally), NOTHING);
console.log(`\nTime:\n${describeRuns(runs).join('\n')}`);
if (total.skipped.length > 0) {
  console.log(`\nSkipped on this machine:\n${describeSkips(total.skipped).join('\n')}`);
  if (process.env['CI'] === 'true' && total.skipped.some((skip) => !skip.isByDesign)) {
    const reason = 'CI has everything the tests need: there a skip is a failure.';
    console.error(reason);
    total = addTallies(total, { ...NOTHING, failed: [{ test: 'skips', reason }] });
  }
}
if (total.flaky?.length) {
  console.log(`\nFlaky (passed when it ran again; \`npm run flaky -- FILE\`):`);
  console.log(describeFailures(total.flaky).join('\n'));
}
if (total.failed.length > 0) console.log(`\nFailed:\n${describeFailures(total.failed).join('\n')}`);
console.log(`\n${closingLine(total)}`);
process.exit(total.failed.length > 0 ? 1 : 0);
