// Kills, cuts and pauses of servers that share a database, under traffic: `npm run chaos -- [--disturbances 250] [--servers 3]`.
// On the cluster of KUBECONFIG: `npm run chaos -- --cluster [--rate 100] [--machines FILE] [--only TEXT]`, where FILE is a JSON list of MachineDisturbance.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { lacksServers } from '../../tests/harness/servers.ts';
import { formatFigures, writeResult } from '../results.ts';
import { runChaos } from './run-chaos.ts';
import { type MachineDisturbance, runClusterChaos } from './run-cluster-chaos.ts';

const DISTURBANCES = 250;
const FAULTS_SHOWN = 20;

const { values } = parseArgs({
  options: {
    disturbances: { type: 'string' },
    servers: { type: 'string' },
    lease: { type: 'string' },
    cluster: { type: 'boolean' },
    rate: { type: 'string' },
    machines: { type: 'string' },
    only: { type: 'string' },
  },
});
if (values.cluster) {
  const machines =
    values.machines === undefined ? [] : (JSON.parse(readFileSync(values.machines, 'utf8')) as MachineDisturbance[]);
  const rows = await runClusterChaos({
    requestsPerSecond: Number(values.rate ?? 100),
    machines,
    ...(values.only !== undefined && { only: values.only }),
    say: (line) => console.log(line),
  });
  console.table(rows.map(({ failures: _, ...row }) => row));
  const notes = [
    'Two servers, three services with one instance or more, two nodes; requests at a fixed rate at each server.',
  ];
  console.log(`written to ${writeResult('cluster-chaos', { figures: [], notes, rows })}`);
  process.exit(rows.some(({ failed }) => failed > 0) ? 1 : 0);
}
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
