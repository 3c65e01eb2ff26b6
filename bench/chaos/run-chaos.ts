import { startServers } from '../../tests/harness/servers.ts';
import type { BenchResult } from '../figure.ts';
import { createAnyServer } from './any-server.ts';
import { createDisturber, type Disturbance } from './disturb-servers.ts';
import { startDeploys, startKeys, startLogs, startObjects, startSchedule, startVariables } from './workloads.ts';

export interface ChaosOptions {
  readonly servers: number;
  /** Number of disturbances; four of five are kills, the rest cuts and pauses. */
  readonly disturbances: number;
  /** Cuts need network namespaces, and so root. Without them a kill takes their place. */
  readonly hasCells: boolean;
  /** The lease of a deploy and a run, in seconds. */
  readonly leaseSeconds: number;
  readonly say: (line: string) => void;
}

/** What a run found. */
export interface ChaosResult extends BenchResult {
  /** What must not be, one sentence each. Empty: it passed. */
  readonly faults: readonly string[];
}

const AWAY_MS_MAX = 1_500;
/** One in this many disturbances is a cut, and one a pause. */
const RARE = 10;

/**
 * Kills, cuts off and pauses the servers of one platform, all but one at the same time, while clients work through those that are left, and
 * compares what was acknowledged with what is there in the end.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { disturbances, hasCells, leaseSeconds, say } = options;
  await using servers = await startServers({
    count: options.servers,
    hasCells,
    env: { BERTH_LEASE: String(leaseSeconds), BERTH_NETWORKS: 'shared' },
  });
  const disturber = createDisturber(servers);
  const any = createAnyServer(servers.all, disturber.isUp);
  const workloads = [
    startKeys(any),
    startVariables(any),
    await startObjects(any),
    startDeploys(any),
    await startSchedule(any),
    await startLogs(any),
  ];
  const startedMs = performance.now();
  const faults: string[] = [];
  let next = 0;
  const disturb = async () => {
    while (next < disturbances) {
      const index = next++;
      const up = servers.all.filter(disturber.isUp);
      const berth = up[index % up.length];
      if (berth === undefined) break;
      const how = disturbanceOf(index, hasCells);
      // A pause is longer than a lease, so that another server takes over.
      const awayMs = how === 'pause' ? (leaseSeconds + 2) * 1_000 : Math.random() * AWAY_MS_MAX;
      await disturber.disturb(berth, how, awayMs).catch((error: unknown) => faults.push(`${how}: ${error}`));
      if (index % 10 !== 9) continue;
      const done = workloads.map(({ kind, acknowledged }) => `${acknowledged} ${kind}`).join(', ');
      say(`${index + 1} of ${disturbances}; ${done}`);
    }
  };
  // One server is left at any time.
  await Promise.all(Array.from({ length: servers.all.length - 1 }, disturb));
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  await Promise.all(workloads.map((one) => one.stop()));
  for (const one of workloads)
    faults.push(...(await one.verify().catch((error: unknown) => [`${one.kind}: ${error}`])));
  return {
    faults,
    figures: [
      { title: 'servers killed with SIGKILL', value: disturber.counts.kill, unit: 'runs' },
      { title: 'servers cut off', value: disturber.counts.cut, unit: 'runs' },
      { title: 'servers paused beyond their leases', value: disturber.counts.pause, unit: 'runs' },
      ...workloads.map(({ kind, acknowledged }) => ({
        title: `${kind}, acknowledged`,
        value: acknowledged,
        unit: 'runs' as const,
      })),
      { title: 'lost, done twice or out of order', value: faults.length, unit: 'runs', target: 0 },
    ],
    notes: [
      `${options.servers} servers, of which all but one are away at times, on one Postgres and one bucket (versitygw), on one machine; ${seconds} s; leases of ${leaseSeconds} s.`,
      'Clients try another server when one does not answer, as a load balancer does.',
    ],
  };
}

/** The third of ten is a cut, the fifth a pause. */
function disturbanceOf(index: number, hasCells: boolean): Disturbance {
  if (index % RARE === RARE / 2 - 1) return 'pause';
  return index % RARE === 2 && hasCells ? 'cut' : 'kill';
}
