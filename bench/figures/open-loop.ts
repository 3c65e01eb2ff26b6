import { type Berth, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { startLoad } from '../../tests/harness/open-loop.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { findInstance } from '../find-instance.ts';
import { startPeers } from '../peers/start-peers.ts';
import { CORES, pinProcess } from '../pin-process.ts';
import { slowService } from '../services.ts';
import { quantile, roundTo } from '../statistics.ts';

const ROUNDS = 5;
const REQUESTS_PER_SECOND = 1_000;
/** Of each round: what Berth gets, so that its rounds come to a minute, and what the others get. */
const OWN_SECONDS = 12;
const PEER_SECONDS = 4;

/**
 * P2: 1,000 requests a second at planned times to a service that takes 100 ms, beside the same load on the service
 * itself and through the peers. From the planned time to the last byte.
 */
export async function measureOpenLoop({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth();
  await deployed(berth, 'slow', { files: slowService(), fields: { concurrency: '80', memory: '256Mi' } });
  // Instances of the first come and go with its load; this one stays, for the others.
  await deployed(berth, 'lone', { files: slowService(), fields: { concurrency: '1000', max_instances: '1' } });
  const run = async (
    target: Pick<Berth, 'port'> & Partial<Pick<Berth, 'host'>>,
    seconds: number,
  ): Promise<readonly number[]> => {
    const load = startLoad(target, { service: 'slow', requestsPerSecond: REQUESTS_PER_SECOND, isKeptAlive: true });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    const { failures, latenciesMs, sent } = await load.stop();
    if (failures.length > 0) throw new Error(`${failures.length} of ${sent} failed, the first: ${failures[0]}`);
    return latenciesMs;
  };
  // Until it has as many instances as the load wants; they then keep off the core of what is measured.
  await run(berth, isTenth ? 2 : 5);
  const instance = findInstance('lone');
  pinProcess(process.pid, CORES.load);
  pinProcess(berth.pid, CORES.target);
  for (const pid of [...findInstance('slow').pids, ...instance.pids]) pinProcess(pid, CORES.load);
  await using peers = await startPeers(instance.address);

  const targets = [
    { name: 'berth', host: berth.host, port: berth.port, seconds: isTenth ? 6 : OWN_SECONDS },
    ...[
      { name: 'direct', ...instance.address },
      ...peers.running.map(({ name, port }) => ({ name, host: '127.0.0.1', port })),
    ].map((one) => ({
      ...one,
      seconds: isTenth ? 1 : PEER_SECONDS,
    })),
  ];
  const latencies = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
  const roundP95s = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < (isTenth ? 1 : ROUNDS); round++) {
    for (const { name, seconds, ...target } of targets) {
      const some = await run(target, seconds);
      latencies.get(name)?.push(...some);
      roundP95s.get(name)?.push(quantile(some, 0.95));
      say(
        `round ${round + 1}: ${name} p50 ${roundTo(quantile(some, 0.5), 1)} p95 ${roundTo(quantile(some, 0.95), 1)} ms`,
      );
    }
  }
  const figures = [...latencies].flatMap(([name, all]): Figure[] => [
    figure(`${name}: requests, none failed`, all.length, 'requests'),
    figure(`${name}: p50`, quantile(all, 0.5), 'ms'),
    {
      ...(name === 'berth' ? { id: 'P2', target: 105 } : {}),
      title: `${name}: p95`,
      value: roundTo(quantile(all, 0.95), 1),
      unit: 'ms',
    },
    figure(`${name}: p99`, quantile(all, 0.99), 'ms'),
  ]);
  const own = roundP95s.get('berth') ?? [];
  for (const [name, others] of roundP95s) {
    if (name === 'berth') continue;
    const ratios = own.map((value, round) => value / (others[round] ?? Number.NaN));
    const value = roundTo(quantile(ratios, 0.5), 2);
    figures.push(figure(`berth / ${name}, p95, median of rounds`, value, 'ratio'));
  }
  return {
    figures,
    notes: [
      'A Node program that answers after a timer of 100 ms; C = 80, so Berth runs several instances; the others use one instance of the same program.',
      'The client is Node on one core with the instances: its own delay and theirs are in every row, `direct` above all.',
      ...peers.notes,
    ],
  };
}
