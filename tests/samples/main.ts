// Builds and serves sample projects of many frameworks, and prints how far each came. Not part of CI: it takes half an hour, a registry
// for each language, and whatever their create commands do today. tests/README.md has the words.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { forEachConcurrently } from '@berth/kit';
import { createBerth } from '../harness/berth.ts';
import { NODE_SAMPLES } from './node-samples.ts';
import { OTHER_SAMPLES } from './other-samples.ts';
import { renderTable } from './render-table.ts';
import { type SampleResult, trySample } from './try-sample.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A JSON file of an earlier run, whose results are shown beside these. */
    before: { type: 'string' },
    /** Where the results go as JSON. */
    save: { type: 'string' },
    /** Samples tried at once. */
    parallel: { type: 'string', default: '2' },
  },
});

const all = [...NODE_SAMPLES, ...OTHER_SAMPLES];
const unknown = positionals.filter((name) => all.every((sample) => sample.name !== name));
if (unknown.length > 0) {
  console.error(`No such sample: ${unknown.join(', ')}. Available: ${all.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const wanted = positionals.length === 0 ? all : all.filter(({ name }) => positionals.includes(name));
const before: SampleResult[] = values.before === undefined ? [] : JSON.parse(await readFile(values.before, 'utf8'));
const results: SampleResult[] = [];

await using berth = createBerth();
await berth.start();
await forEachConcurrently(wanted, { concurrency: Math.max(1, Number(values.parallel)) }, async (sample) => {
  const result = await trySample(berth, sample);
  results.push(result);
  console.error(`${results.length}/${wanted.length} ${result.name}: ${result.isServed ? 'served' : result.note}`);
  if (values.save !== undefined) await writeFile(values.save, `${JSON.stringify(results, null, 1)}\n`);
});
console.log(
  renderTable(
    wanted.flatMap(({ name }) => results.filter((one) => one.name === name)),
    before,
  ),
);
