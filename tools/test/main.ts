// Runs the tests lane by lane; at the end it says how long each lane took, what was skipped and why, and what failed. `npm test`.
import { LANES, type Lane } from './lanes.ts';
import { type LaneRun, runLane } from './run-lane.ts';
import { selectLanes } from './select-lanes.ts';
import { addTallies, closingLine, describeFailures, describeRuns, describeSkips, NOTHING } from './tally.ts';

const HELP = `usage: npm test [-- [LANE|PATH]…]

Runs the tests of all lanes, of the lanes that are named, or the given test files and folders as their lanes run them.
At the end it prints how long each lane took, what was skipped and why, and what failed.
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
const runs: LaneRun[] = [];
for (const lane of lanes) {
  console.log(`\n=== ${lane.name} ===`);
  const run = await runLane(lane, ['default']);
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
if (total.failed.length > 0) console.log(`\nFailed:\n${describeFailures(total.failed).join('\n')}`);
console.log(`\n${closingLine(total)}`);
process.exit(total.failed.length > 0 ? 1 : 0);
