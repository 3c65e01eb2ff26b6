import { startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { hostOf } from '../../tests/harness/request.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { findInstance } from '../find-instance.ts';
import { startPeers } from '../peers/start-peers.ts';
import { CORES, pinProcess } from '../pin-process.ts';
import { cpuSeconds, processTree } from '../process-tree.ts';
import { plainService } from '../services.ts';
import { quantile, roundTo } from '../statistics.ts';
import { runWrk } from '../wrk.ts';

const ROUNDS = 5;
const CONNECTIONS = 64;

interface Target {
  readonly name: string;
  readonly address?: string;
  readonly port: number;
  /** What its CPU time is counted of; none for the service itself. */
  readonly pids: () => readonly number[];
}

/** What one round measured of one target. */
interface Round {
  readonly requestsPerSecond: number;
  /** Requests for each second of CPU that the target used: what it would do with a core to itself. */
  readonly requestsPerCpuSecond: number;
  readonly p50Us: number;
}

/**
 * P1: a routed request through the real server, with concurrency accounting, request log and metering on, beside nginx,
 * HAProxy and Caddy in front of the same instance. The target has one core, wrk and the instance the other.
 */
export async function measureThroughput({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth();
  const fields = { concurrency: '1000', max_instances: '1' };
  await deployed(berth, 'plain', { files: plainService(), fields });
  const instance = findInstance('plain');
  const isPinned = [pinProcess(berth.pid, CORES.target), ...instance.pids.map((pid) => pinProcess(pid, CORES.load))];
  await using peers = await startPeers(instance.address);

  const direct: Target = {
    name: 'direct',
    address: instance.address.host,
    port: instance.address.port,
    pids: () => [],
  };
  const own: Target = {
    name: 'berth',
    port: berth.port,
    pids: () => processTree(berth.pid, (pid) => instance.pids.includes(pid)),
  };
  const targets = [direct, own, ...peers.running.map((peer): Target => ({ ...peer, pids: () => peer.pids }))];
  const seconds = isTenth ? 1 : 3;
  const measure = async ({ pids, ...target }: Target): Promise<Round> => {
    const host = hostOf(berth, 'plain');
    // A server that was idle while the others were measured has given its memory back, and compiled code with it.
    await runWrk({ ...target, host, connections: CONNECTIONS, seconds: isTenth ? 1 : 5 });
    const before = cpuSeconds(pids());
    const many = await runWrk({ ...target, host, connections: CONNECTIONS, seconds });
    const usedSeconds = cpuSeconds(pids()) - before;
    const one = await runWrk({ ...target, host, connections: 1, seconds: isTenth ? 1 : 2 });
    return {
      requestsPerSecond: many.requestsPerSecond,
      requestsPerCpuSecond: usedSeconds > 0 ? many.requests / usedSeconds : Number.NaN,
      p50Us: one.p50Us,
    };
  };

  const rounds = new Map<string, Round[]>(targets.map(({ name }) => [name, []]));
  for (let index = 0; index < (isTenth ? 1 : ROUNDS); index++) {
    for (const target of targets) {
      const round = await measure(target);
      rounds.get(target.name)?.push(round);
      say(
        `round ${index + 1}: ${target.name} ${JSON.stringify(round, (_key, value) => (typeof value === 'number' ? Math.round(value) : value))}`,
      );
    }
  }
  return {
    figures: figuresOf(rounds),
    notes: [
      'In the path of Berth: the real server; HTTP parser, host to service, admission with the count in flight, billable time of the instance, forwarding, one request entry with sizes and latency to the log store on disk.',
      'Each request goes to one instance of a Node program that answers 13 bytes; the peers are in front of that instance.',
      ...peers.notes,
      'Per CPU second: requests over the CPU time of the target, which is its rate with a core to itself; the target is held against it, because others use the machine and because the load may take its whole core before the proxy does.',
      ...(isPinned.includes(false) ? ['Not pinned to cores: this machine has one, or no taskset.'] : []),
    ],
  };
}

function figuresOf(rounds: ReadonlyMap<string, readonly Round[]>): Figure[] {
  const names = [...rounds.keys()].filter((name) => name !== 'direct');
  /** Each target beside another one in the same round; the median of the rounds. */
  const beside = (name: string, other: string, combine: (one: Round, other: Round) => number): number => {
    const others = rounds.get(other) ?? [];
    return quantile(
      (rounds.get(name) ?? []).map((round, index) => combine(round, others[index] as Round)),
      0.5,
    );
  };
  const median = (name: string, read: (round: Round) => number) => quantile((rounds.get(name) ?? []).map(read), 0.5);
  const atLeast: Readonly<Record<string, number>> = { nginx: 0.5, caddy: 1.8 };
  const figures: Figure[] = [
    figure(
      'direct: requests a second',
      median('direct', (one) => one.requestsPerSecond),
      'req/s',
    ),
  ];
  for (const name of names) {
    const rate = median(name, (one) => one.requestsPerSecond);
    const perCpu = median(name, (one) => one.requestsPerCpuSecond);
    figures.push(
      figure(`${name}: requests a second`, rate, 'req/s'),
      figure(`${name}: requests per CPU second`, perCpu, 'req/s'),
    );
  }
  for (const name of names.filter((one) => one !== 'berth')) {
    const target = atLeast[name] === undefined ? {} : { id: 'P1', atLeast: atLeast[name] };
    const rates = beside('berth', name, (one, other) => one.requestsPerSecond / other.requestsPerSecond);
    const perCpu = beside('berth', name, (one, other) => one.requestsPerCpuSecond / other.requestsPerCpuSecond);
    figures.push(figure(`berth / ${name}, requests a second`, rates, 'ratio'), {
      ...target,
      title: `berth / ${name}, requests per CPU second`,
      value: roundTo(perCpu, 2),
      unit: 'ratio',
    });
  }
  const added = new Map(names.map((name) => [name, beside(name, 'direct', (one, direct) => one.p50Us - direct.p50Us)]));
  const caddy = added.get('caddy');
  for (const [name, value] of added) {
    const target = name === 'berth' ? { id: 'P1', target: Math.min(90, caddy ?? 90) } : {};
    figures.push({ ...target, title: `${name}: added p50, one connection`, value: Math.round(value), unit: 'µs' });
  }
  return figures;
}
