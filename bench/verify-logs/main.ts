// Compares what logs answer with a script's answers over the same text: `npm run verify:logs -- [--lines 1000000]`. Needs python3.
import { parseArgs } from 'node:util';
import { startBerth } from '../../tests/harness/berth.ts';
import { formatFigures, writeResult } from '../results.ts';
import { verifyLogs } from './verify-logs.ts';

const LINES = 1_000_000;

const { values } = parseArgs({ options: { lines: { type: 'string' } } });
const lines = Number(values.lines ?? LINES);
if (!Number.isSafeInteger(lines) || lines < 1) {
  console.error('npm run verify:logs -- [--lines 1000000]');
  process.exit(2);
}
await using berth = await startBerth();
const { faults, ...result } = await verifyLogs({ berth, lines, say: (line) => console.log(line) });
console.log(`\n${formatFigures(result.figures)}\n`);
for (const note of result.notes) console.log(`- ${note}`);
for (const fault of faults) console.error(`fault: ${fault}`);
if (faults.length === 0 && lines >= LINES) console.log(`\nwritten to ${writeResult('verify-logs', result)}`);
console.log(faults.length === 0 ? '\npassed' : '\nFAILED');
process.exitCode = faults.length === 0 ? 0 : 1;
