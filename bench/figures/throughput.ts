import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Berth, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { freePort } from '../../tests/harness/free-port.ts';
import { hostOf } from '../../tests/harness/request.ts';
import type { BenchOptions, BenchResult } from '../figure.ts';
import { findInstance } from '../find-instance.ts';
import { createCertificate } from '../peers/create-certificate.ts';
import { startPeers } from '../peers/start-peers.ts';
import { CORES, pinProcess } from '../pin-process.ts';
import { processTree } from '../process-tree.ts';
import { mixedService } from '../services.ts';
import { roundTo } from '../statistics.ts';
import { compareRounds, formatComparison, type Measured } from '../throughput/compare-rounds.ts';
import type { Load, Scenario, Target } from '../throughput/scenario.ts';
import { SCENARIOS, WORKERS } from '../throughput/scenarios.ts';

const ROUNDS = 3;
/** Gateway processes of the servers that are compared with one that has none. */
const WORKER_COUNTS = [1, 2] as const;

/**
 * P1 and what users send besides: requests through the real server, with concurrency accounting, request log and metering on, beside
 * other proxies in front of the same instance. The target has one core, the load and the instance have the other.
 */
export async function measureThroughput(options: BenchOptions): Promise<BenchResult> {
  const { only, isTenth } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-throughput-'));
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  const { certFile, keyFile } = createCertificate(folder);
  const tlsPort = await freePort();
  await using berth = await startBerth({
    env: { BERTH_TLS_CERT: certFile, BERTH_TLS_KEY: keyFile, BERTH_TLS_PORT: String(tlsPort) },
  });
  const { target: own, load, isPinned } = await deployTarget(berth, OWN, tlsPort, isTenth);
  await using peers = await startPeers(load.upstream);
  const targets = [own, ...peers.running.map((peer): Target => ({ ...peer, pids: () => peer.pids }))];

  const measured: Measured[number][] = [];
  for (const scenario of SCENARIOS) {
    if (only !== undefined && !only.includes(scenario.name)) continue;
    // A tenth is for correctness: P1 on all of them, every other kind of load on Berth and on one peer.
    const some = isTenth && measured.length > 0 ? targets.slice(0, 2) : targets;
    measured.push(...(await measureRounds(scenario, some, () => load, options)));
  }
  const workers = only === undefined || only.includes(WORKERS.name) ? await measureWorkers(own, load, options) : [];
  const withWorkers = WORKER_COUNTS.map(nameOf);
  const names = peers.running.map(({ name }) => name);
  return {
    figures: [
      ...compareRounds(measured, OWN),
      ...withWorkers.flatMap((name) => compareRounds(pick(workers, [name, OWN]), name)),
    ],
    table: [
      ...(measured.length > 0 ? [formatComparison(measured, OWN, names)] : []),
      ...withWorkers.flatMap((name) =>
        workers.length > 0 ? [formatComparison(pick(workers, [name, OWN]), name, [OWN])] : [],
      ),
    ].join('\n\n'),
    notes: [
      'In the path of Berth: the real server; HTTP parser, host to service, admission with the count in flight, billable time of the instance, forwarding, one request entry with sizes and latency to the log store on disk.',
      'Each request goes to one instance of a Node program; the peers are in front of that instance.',
      ...peers.notes,
      'Per CPU second: what was done over the CPU time of the target, which is its rate with a core to itself. Load and instance share the other core and may be what limits the rate.',
      'Ratios are those of the same round: median (lowest–highest).',
      'Memory is resident memory of all processes; pages that processes share count once for each.',
      ...(isPinned ? [] : ['Not pinned to cores: this machine has one, or no taskset.']),
    ],
  };
}

const OWN = 'berth';

function nameOf(workers: number): string {
  return `berth with ${workers} gateway worker${workers === 1 ? '' : 's'}`;
}

interface DeployedTarget {
  readonly target: Target;
  readonly load: Load;
  readonly isPinned: boolean;
}

/** Deploys the service, and gives the server and the instance a core each. */
async function deployTarget(berth: Berth, name: string, tlsPort: number, isTenth: boolean): Promise<DeployedTarget> {
  const service = name.replaceAll(' ', '-');
  const fields = { concurrency: '1000', max_instances: '1' };
  await deployed(berth, service, { files: mixedService(), fields });
  const instance = findInstance(service);
  const pids = () => processTree(berth.pid, (pid) => instance.pids.includes(pid));
  const isPinned = [
    ...pids().map((pid) => pinProcess(pid, CORES.target)),
    ...instance.pids.map((pid) => pinProcess(pid, CORES.load)),
  ];
  return {
    target: { name, port: berth.port, tlsPort, pids },
    load: { host: hostOf(berth, service), upstream: instance.address, isTenth },
    isPinned: !isPinned.includes(false),
  };
}

async function measureRounds(
  scenario: Scenario,
  targets: readonly Target[],
  loadOf: (target: Target) => Load,
  { isTenth, say }: BenchOptions,
): Promise<Measured[number][]> {
  const measured = scenario.rows.map((row) => ({ row, rounds: new Map<string, number[]>() }));
  for (let round = 0; round < (isTenth ? 1 : ROUNDS); round++) {
    for (const target of targets) {
      const values = await scenario.measure(target, loadOf(target));
      for (const [index, { rounds }] of measured.entries()) {
        rounds.set(target.name, [...(rounds.get(target.name) ?? []), values[index] as number]);
      }
      say(`${scenario.name}, round ${round + 1}: ${target.name} ${values.map((value) => roundTo(value, 2)).join(' ')}`);
    }
  }
  return measured;
}

async function measureWorkers(own: Target, load: Load, options: BenchOptions): Promise<Measured[number][]> {
  await using servers = new AsyncDisposableStack();
  const all = new Map([[own, load]]);
  for (const count of WORKER_COUNTS) {
    const server = servers.use(await startBerth({ args: ['--gateway-workers', String(count)] }));
    const one = await deployTarget(server, nameOf(count), 0, options.isTenth);
    all.set(one.target, one.load);
  }
  return await measureRounds(WORKERS, [...all.keys()], (target) => all.get(target) as Load, options);
}

function pick(measured: Measured, names: readonly string[]): Measured {
  return measured.map(({ row, rounds }) => ({
    row,
    rounds: new Map([...rounds].filter(([name]) => names.includes(name))),
  }));
}
