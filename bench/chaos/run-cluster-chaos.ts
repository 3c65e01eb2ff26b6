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

/** A disturbance of the machines that only their operator can make. No shell reads its commands, in which `{node}` is the node with the most Pods. */
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
  /** Runs only disturbances with this text in their title. */
  readonly only?: string;
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
const KILLED_MS = 8_000;
const POSTGRES_AWAY_MS = 10_000;
/** Of what a server printed, when a run breaks off. */
const LAST_OUTPUT = 4_000;
const READY = { timeoutMs: 120_000 };

/** Disturbs a cluster under load, in one way after another, and counts what the clients see. */
export async function runClusterChaos({
  requestsPerSecond,
  machines,
  only = '',
  say,
}: ClusterChaosOptions): Promise<ClusterChaosRow[]> {
  const settings = kubernetesSettings(`chaos-${process.pid}`);
  const core = await openCluster();
  await using servers = await startServers({
    count: 2,
    env: { ...settings, BERTH_LEASE: '3', BERTH_GATEWAY_LEASE: '3' },
  });
  const [first, second] = servers.all as [Berth, Berth];
  try {
    for (const name of SERVICES) await deployed(first, name, { files: greeter(name) });
    const isServed = async () => {
      for (const berth of servers.all)
        for (const name of SERVICES) if ((await request(berth, name)).text !== name) return false;
      return true;
    };
    const rows: ClusterChaosRow[] = [];
    const measure = async (title: string, disturb: () => Promise<() => Promise<void>>, killed?: Berth) => {
      if (!title.includes(only)) return;
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
      rows.push(row);
    };
    for (const [killed, title] of [
      [first, 'a server is killed (SIGKILL)'],
      [second, 'the other server is killed (SIGKILL)'],
    ] as const) {
      const killAndWait = async () => {
        await killed.kill9();
        await sleep(KILLED_MS);
        return () => killed.start();
      };
      await measure(title, killAndWait, killed);
    }
    const pause = async () => {
      process.kill(second.pid, 'SIGSTOP');
      await sleep(KILLED_MS);
      return async () => void process.kill(second.pid, 'SIGCONT');
    };
    await measure('a server is paused for 8 s, longer than its lease (SIGSTOP)', pause, second);
    await measure(`Postgres is killed and away for ${POSTGRES_AWAY_MS / 1_000} s`, async () => {
      await servers.postgres.kill();
      await sleep(POSTGRES_AWAY_MS);
      return () => servers.postgres.start();
    });
    await measure('a node is drained', () => drain(core));
    await measure('each Pod is deleted without grace', async () => {
      for (const { metadata } of await podsOf(core)) {
        const { name = '', namespace = '' } = metadata ?? {};
        await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 });
      }
      return async () => {};
    });
    for (const { title, begin, end, awayMs } of machines) {
      await measure(title, async () => {
        const { node } = await busiestNode(core);
        const onNode = (words: readonly string[]) => words.map((word) => word.replaceAll('{node}', node));
        run(onNode(begin));
        await sleep(awayMs);
        return async () => run(onNode(end));
      });
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

/** Returns the node with the most Pods, and these. */
async function busiestNode(core: CoreV1Api) {
  const byNode = Map.groupBy(await podsOf(core), ({ spec }) => spec?.nodeName ?? '');
  const [[node, pods] = ['', []]] = [...byNode].toSorted(([, a], [, b]) => b.length - a.length);
  return { node, pods };
}

/** Drains the node with the most Pods, as `kubectl drain` does. Returns the way back. */
async function drain(core: CoreV1Api): Promise<() => Promise<void>> {
  const { node, pods } = await busiestNode(core);
  const setSchedulable = (isSchedulable: boolean) =>
    core.patchNode({ name: node, body: [{ op: 'add', path: '/spec/unschedulable', value: !isSchedulable }] });
  await setSchedulable(false);
  for (const { metadata } of pods) {
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
