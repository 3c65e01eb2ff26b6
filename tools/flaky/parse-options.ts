import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { LANES, type Lane } from '../test/lanes.ts';
import { selectLanes } from '../test/select-lanes.ts';

/** How the command is used. */
export const HELP = `usage: npm run flaky -- [--runs N] [--load N] [--json] [LANE|PATH]…

Runs tests several times beside processes that keep the CPUs busy, and lists the tests that failed in some runs and not in others.
Without a lane or a path all lanes run. Every run takes longer than a run without load.

  --runs N   how often, 2 to 100 (5)
  --load N   processes that compute all the time, 0 to 64 (as many as there are CPUs: ${availableParallelism()} here)
  --json     print the result as JSON on standard output; progress goes to standard error

Exit code: 0 when everything passed in every run, 1 when something failed in a run, 2 for wrong words.

Lanes: ${LANES.map(({ name }) => name).join(', ')}

  npm run flaky -- faults
  npm run flaky -- --runs 20 tests/acceptance/suspend.test.ts
  npm run flaky -- --runs 3 --json unit > flaky.json
`;

/** What was asked for. */
export interface FlakyOptions {
  readonly runs: number;
  readonly load: number;
  readonly isJson: boolean;
  readonly lanes: readonly Lane[];
}

/**
 * Reads the words of the command line; `help` when they ask how to use it.
 * @throws Error with a sentence about what is wrong with them.
 */
export function parseOptions(argv: readonly string[]): FlakyOptions | 'help' {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '5' },
      load: { type: 'string', default: String(Math.min(64, availableParallelism())) },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    runs: integer('runs', values.runs, 2, 100),
    load: integer('load', values.load, 0, 64),
    isJson: values.json,
    lanes: selectLanes(positionals),
  };
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}
