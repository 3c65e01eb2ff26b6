// Runs tests again and again beside load, and lists those that fail only sometimes. `npm run flaky -- --help`.
import { type LaneRun, runLane } from '../test/run-lane.ts';
import { closingLine, describeFailures } from '../test/tally.ts';
import { compareRuns, type Suspect } from './compare-runs.ts';
import { type FlakyOptions, HELP, parseOptions } from './parse-options.ts';
import { startLoad } from './start-load.ts';

let options: FlakyOptions | 'help' | undefined;
try {
  options = parseOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
  process.exit(2);
}
if (options === 'help') {
  process.stdout.write(HELP);
  process.exit(0);
}

const { runs, load, isJson, lanes } = options;
const say = isJson ? console.error : console.log;
const passes: LaneRun[][] = [];
{
  using processes = await startLoad(load);
  say(`${runs} runs beside ${processes.pids.length} processes that compute all the time`);
  for (let run = 1; run <= runs; run++) {
    const pass: LaneRun[] = [];
    for (const lane of lanes) {
      const done = await runLane(lane, []);
      pass.push(done);
      say(`run ${run} of ${runs}, ${done.lane}: ${closingLine(done.tally)} in ${done.seconds} s`);
    }
    passes.push(pass);
  }
}

const { flaky, failing } = compareRuns(passes.map((pass) => pass.flatMap(({ tally }) => tally.failed)));
if (isJson) {
  const seconds = passes.map((pass) => Object.fromEntries(pass.map((run) => [run.lane, run.seconds])));
  console.log(JSON.stringify({ runs, load, flaky, failing, seconds }, null, 2));
} else {
  list('Failed in every run', failing);
  list('Failed in some runs and not in others', flaky);
  say(`\n${flaky.length} flaky, ${failing.length} failing in ${runs} runs`);
}
process.exit(flaky.length + failing.length > 0 ? 1 : 0);

function list(title: string, suspects: readonly Suspect[]): void {
  if (suspects.length === 0) return;
  say(`\n${title}:`);
  for (const { test, failedIn, reason } of suspects) {
    say(
      describeFailures([{ test: `${test} (in ${failedIn.length} of ${runs}: ${failedIn.join(', ')})`, reason }]).join(
        '\n',
      ),
    );
  }
}
