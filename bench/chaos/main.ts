// Kills, cuts and pauses of servers that share a database, under traffic: `npm run chaos -- [--disturbances 250] [--servers 3]`.
import { parseArgs } from 'node:util';
import { lacksServers } from '../../tests/harness/servers.ts';
import { formatFigures, writeResult } from '../results.ts';
import { runChaos } from './run-chaos.ts';

const DISTURBANCES = 250;
const FAULTS_SHOWN = 20;

const { values } = parseArgs({
  options: { disturbances: { type: 'string' }, servers: { type: 'string' }, lease: { type: 'string' } },
});
const disturbances = Number(values.disturbances ?? DISTURBANCES);
const servers = Number(values.servers ?? 3);
const leaseSeconds = Number(values.lease ?? 5);
if (!(disturbances > 0 && servers > 1 && leaseSeconds >= 2)) {
  console.error('npm run chaos -- [--disturbances 250] [--servers 3] [--lease 5]');
  process.exit(2);
}
const reason = lacksServers();
if (reason !== undefined) {
  console.error(reason);
  process.exit(2);
}
const hasCells = lacksServers(true) === undefined;
const { faults, ...result } = await runChaos({
  servers,
  disturbances,
  hasCells,
  leaseSeconds,
  say: (line) => console.log(line),
});
console.log(`\n${formatFigures(result.figures)}\n`);
for (const note of result.notes) console.log(`- ${note}`);
for (const fault of faults.slice(0, FAULTS_SHOWN)) console.error(`fault: ${fault}`);
if (faults.length > FAULTS_SHOWN) console.error(`and ${faults.length - FAULTS_SHOWN} more`);
if (disturbances >= DISTURBANCES) console.log(`\nwritten to ${writeResult('chaos', result)}`);
console.log(faults.length === 0 ? '\npassed' : '\nFAILED');
process.exitCode = faults.length === 0 ? 0 : 1;
