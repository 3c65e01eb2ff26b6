// Measures one figure and writes it to bench/results. `npm run bench -- <name> [--tenth]`.
import type { Bench } from './figure.ts';
import { measureColdStart } from './figures/cold-start.ts';
import { measureRedeploy } from './figures/redeploy.ts';
import { formatFigures, writeResult } from './results.ts';

const BENCHES: Readonly<Record<string, Bench>> = {
  'cold-start': measureColdStart,
  redeploy: measureRedeploy,
};

const words = process.argv.slice(2);
const isTenth = words.includes('--tenth');
const [name = ''] = words.filter((word) => word !== '--tenth');
const bench = BENCHES[name];
if (!bench) {
  console.error(`npm run bench -- <name> [--tenth], where name is one of ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
const result = await bench({ isTenth, say: (line) => console.log(line) });
console.log(`\n${formatFigures(result.figures)}\n`);
for (const note of result.notes) console.log(`- ${note}`);
// A tenth has too few runs to be kept as a number.
if (!isTenth) console.log(`\nwritten to ${writeResult(name, result)}`);
