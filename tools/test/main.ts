// Runs the tests lane by lane and says at the end what was skipped and why. `npm test [-- LANE…]`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startVitest } from 'vitest/node';
import { LANES } from './lanes.ts';
import { LongestFirst } from './longest-first.ts';
import { addTallies, closingLine, describeFailures, describeSkips, NOTHING, type Tally, toSkip } from './tally.ts';
import { createTallyReporter } from './tally-reporter.ts';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !LANES.some((lane) => lane.name === name));
if (unknown.length > 0) {
  console.error(`no such lane: ${unknown.join(', ')}; there are ${LANES.map((lane) => lane.name).join(', ')}`);
  process.exit(2);
}
const folder = mkdtempSync(path.join(tmpdir(), 'berth-test-'));
let total = NOTHING;
for (const lane of LANES.filter((one) => wanted.length === 0 || wanted.includes(one.name))) {
  const started = performance.now();
  const file = path.join(folder, `${lane.name}.json`);
  console.log(`\n=== ${lane.name} ===`);
  const lacking = lane.lacks?.();
  if (lacking !== undefined) {
    console.log(`${lane.name}: skipped, ${lacking}`);
    total = addTallies(total, { ...NOTHING, skipped: [toSkip(lane.name, lacking)] });
    continue;
  }
  const vitest = await startVitest('test', [], {
    watch: false,
    include: [...lane.include],
    maxWorkers: lane.maxWorkers,
    isolate: !lane.isSharing,
    testTimeout: lane.testTimeoutMs,
    sequence: { sequencer: LongestFirst },
    env: { ...lane.env },
    ...(lane.globalSetup && { globalSetup: lane.globalSetup }),
    reporters: ['default', createTallyReporter(file)],
  });
  await vitest.close();
  const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
  const leftOut = Object.entries(lane.leftOut ?? {}).map(([file, why]) => toSkip(file, `by design: ${why}`));
  total = addTallies(total, { ...tally, skipped: [...tally.skipped, ...leftOut] });
  console.log(`${lane.name}: ${closingLine(tally)} in ${Math.round((performance.now() - started) / 1000)} s`);
  if (tally.passed + tally.failed.length === 0) {
    const failure = { test: lane.name, reason: 'no test ran, so it proved nothing' };
    console.error(`${failure.test}: ${failure.reason}`);
    total = addTallies(total, { ...NOTHING, failed: [failure] });
  }
}
rmSync(folder, { recursive: true, force: true });

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
