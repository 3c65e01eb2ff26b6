// Mixed traffic on a real platform with redeploys and kills: `npm run soak -- [--minutes 10 | --seconds 20] [--gateway-workers N]`.
import { parseArgs } from 'node:util';
import { formatFigures, writeResult } from '../results.ts';
import { runSoak } from './run-soak.ts';

const MINUTES = 10;

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seconds: { type: 'string' }, 'gateway-workers': { type: 'string' } },
});
const seconds = Number(values.seconds ?? Number(values.minutes ?? MINUTES) * 60);
const gatewayWorkers = Number(values['gateway-workers'] ?? 0);
if (!(seconds > 0) || !(gatewayWorkers >= 0)) {
  console.error('npm run soak -- [--minutes 10 | --seconds 20] [--gateway-workers N]');
  process.exit(2);
}
const { faults, ...result } = await runSoak({ seconds, gatewayWorkers, say: (line) => console.log(line) });
console.log(`\n${formatFigures(result.figures)}\n`);
for (const note of result.notes) console.log(`- ${note}`);
const FAULTS_SHOWN = 20;
for (const fault of faults.slice(0, FAULTS_SHOWN)) console.error(`fault: ${fault}`);
if (faults.length > FAULTS_SHOWN) console.error(`and ${faults.length - FAULTS_SHOWN} more`);
// A short run says whether it works, not how it fares.
if (seconds >= MINUTES * 60) {
  const name = gatewayWorkers === 0 ? 'soak' : `soak-${gatewayWorkers}-workers`;
  console.log(`\nwritten to ${writeResult(name, { ...result, notes: [...result.notes, ...faults] })}`);
}
console.log(faults.length === 0 ? '\npassed' : '\nFAILED');
process.exitCode = faults.length === 0 ? 0 : 1;
