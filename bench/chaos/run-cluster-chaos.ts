import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Api } from '@kubernetes/client-node';
import type { Berth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { type LoadResult, startLoad } from '../../tests/harness/open-loop.ts';
import { greeter } from '../../tests/harness/project-files.ts';
import { request } from '../../tests/harness/request.ts';
import { kubernetesSettings, openCluster, removeFromCluster } from '../../tests/harness/runtime.ts';
import { startServers } from '../../tests/harness/servers.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';

/** A disturbance of the machines that only their operator can make. No shell reads its commands. */
export interface MachineDisturbance {
  readonly title: string;
  readonly begin: readonly string[];
  readonly end: readonly string[];
  readonly awayMs: number;
}

export interface ClusterChaosOptions {
  /** Requests a second, at each of the two servers. */
  readonly requestsPerSecond: number;
  /** Besides the ones that the API server and this process can make. */
  readonly machines: readonly MachineDisturbance[];
  readonly say: (line: string) => void;
}

/** The result of one disturbance. */
export interface ClusterChaosRow {
  readonly title: string;
  /** At the servers that were left in peace. */
  readonly sent: number;
  readonly failed: number;
  /** At the server that was killed. Its clients would use another one. */
  readonly failedAtKilled: number;
  /** From the beginning of the disturbance to the last request that failed or took longer than a second. */
  readonly recoveryMs: number;
  readonly longestMs: number;
  /** The first failures, as text. */
  readonly failures: readonly string[];
}

const SERVICES = ['one', 'two', 'three'];
const CALM_MS = 3_000;
const POSTGRES_AWAY_MS = 10_000;
/** Of what a server printed, when a run breaks off. */
const LAST_OUTPUT = 4_000;
const READY = { timeoutMs: 120_000 };

/** Disturbs a cluster under load, in one way after another, and counts what the clients see. */
export async function runClusterChaos({
  requestsPerSecond,
  machines,
  say,
}: ClusterChaosOptions): Promise<ClusterChaosRow[]> {
  const settings = kubernetesSettings(`chaos-${process.pid}`);
  const core = openCluster();
  await using servers = await startServers({ count: 2, env: { ...settings, BERTH_LEASE: '3', BERTH_GATEWAY_LEASE: '3' } });
  const [first, second] = servers.all as [Berth, Berth];
  try {
    for (const name of SERVICES) await deployed(first, name, { files: greeter(name) });
    const isServed = async () => {
      for (const berth of servers.all)
        for (const name of SERVICES) if ((await request(berth, name)).text !== name) return false;
      return true;
    };
    const measure = async (
      title: string,
      disturb: () => Promise<() => Promise<void>>,
      killed?: Berth,
    ): Promise<ClusterChaosRow> => {
      await waitFor('all services are served', () => isServed().catch(() => false), READY);
      const loads = servers.all.flatMap((berth) =>
        SERVICES.map((service) => ({
          berth,
          load: startLoad(berth, {
            service,
            requestsPerSecond: requestsPerSecond / SERVICES.length,
            isKeptAlive: true,
          }),
        })),
      );
      await sleep(CALM_MS);
      const beganMs = performance.now();
      const mend = await disturb();
      await mend();
      await waitFor('all services are served again', () => isServed().catch(() => false), READY);
      await sleep(CALM_MS);
      const results = await Promise.all(loads.map(async ({ berth, load }) => ({ berth, result: await load.stop() })));
      const left = results.filter(({ berth }) => berth !== killed).map(({ result }) => result);
      const atKilled = results.filter(({ berth }) => berth === killed).map(({ result }) => result);
      const sum = (list: readonly LoadResult[], of: (result: LoadResult) => number) =>
        list.reduce((total, result) => total + of(result), 0);
      const row: ClusterChaosRow = {
        title,
        sent: sum(left, ({ sent }) => sent),
        failed: sum(left, ({ failures }) => failures.length),
        failedAtKilled: sum(atKilled, ({ failures }) => failures.length),
        recoveryMs: Math.round(
          Math.max(0, ...left.flatMap(({ troubledAtMs }) => troubledAtMs.map((at) => at - beganMs))),
        ),
        longestMs: Math.round(Math.max(...left.map(({ latenciesMs }) => latenciesMs.at(-1) ?? 0))),
        failures: left.flatMap(({ failures }) => failures).slice(0, 3),
      };
      say(JSON.stringify(row));
      return row;
    };
    const rows: ClusterChaosRow[] = [];
    for (const [killed, title] of [
      [first, 'a server is killed (SIGKILL)'],
      [second, 'the other server is killed (SIGKILL)'],
    ] as const) {
      rows.push(
        await measure(
          title,
          async () => {
            await killed.kill9();
            await sleep(8_000);
            return () => killed.start();
          },
          killed,
        ),
      );
    }
    rows.push(
      await measure(
        'a server is paused for 8 s, longer than its lease (SIGSTOP)',
        async () => {
          process.kill(second.pid, 'SIGSTOP');
          await sleep(8_000);
          return async () => void process.kill(second.pid, 'SIGCONT');
        },
        second,
      ),
      await measure(`Postgres is killed and away for ${POSTGRES_AWAY_MS / 1_000} s`, async () => {
        await servers.postgres.kill();
        await sleep(POSTGRES_AWAY_MS);
        return () => servers.postgres.start();
      }),
      await measure('a node is drained', () => drain(core)),
      await measure('each Pod is deleted without grace', async () => {
        for (const { metadata } of await podsOf(core))
          await core.deleteNamespacedPod({
            name: metadata?.name ?? '',
            namespace: metadata?.namespace ?? '',
            gracePeriodSeconds: 0,
          });
        return async () => {};
      }),
    );
    for (const { title, begin, end, awayMs } of machines) {
      rows.push(
        await measure(title, async () => {
          run(begin);
          await sleep(awayMs);
          return async () => run(end);
        }),
      );
    }
    return rows;
  } catch (error) {
    for (const { output } of servers.all) say(output.slice(-LAST_OUTPUT));
    throw error;
  } finally {
    await removeFromCluster(settings);
  }
}

async function podsOf(core: CoreV1Api) {
  const { items } = await core.listPodForAllNamespaces({ labelSelector: 'berth.dev/kind=service' });
  return items.filter(({ metadata }) => SERVICES.includes(metadata?.labels?.['berth.dev/deployment'] ?? ''));
}

/** Drains the node with most of the Pods, as `kubectl drain` does. Returns the way back. */
async function drain(core: CoreV1Api): Promise<() => Promise<void>> {
  const pods = await podsOf(core);
  const nodes = pods.map(({ spec }) => spec?.nodeName ?? '');
  const [node = ''] = nodes.toSorted(
    (a, b) => nodes.filter((one) => one === b).length - nodes.filter((one) => one === a).length,
  );
  const setSchedulable = (isSchedulable: boolean) =>
    core.patchNode({ name: node, body: [{ op: 'add', path: '/spec/unschedulable', value: !isSchedulable }] });
  await setSchedulable(false);
  for (const { metadata } of pods.filter(({ spec }) => spec?.nodeName === node)) {
    const { name = '', namespace = '' } = metadata ?? {};
    await core.createNamespacedPodEviction({ name, namespace, body: { metadata: { name, namespace } } });
  }
  const isLeft = async () => (await podsOf(core)).some(({ spec }) => spec?.nodeName === node);
  await waitFor('the node is empty', async () => !(await isLeft()), READY);
  return async () => void (await setSchedulable(true));
}

function run([program = '', ...words]: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
}
