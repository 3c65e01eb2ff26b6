import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { createKubernetesRuntime, openKube } from '@berth/runtime-kubernetes';
import { removeFromCluster } from '../../tests/harness/runtime.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { spreadOf } from '../statistics.ts';

const SERVICES = 1_000;
const ACCOUNTS = 20;
const INSTANCES = 5;
/** A busy platform's starts: a server bounds them by its cores. */
const STARTS_AT_ONCE = 32;
const IDLE_MS = 60_000;
const MEBIBYTE = 2 ** 20;

/**
 * A thousand services with five instances each on simulated nodes (kwok): what their Pods cost a server, beyond what it costs to serve their
 * requests. The nodes must take Pods without a toleration, and real nodes none.
 */
export async function measureKubernetesScale({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  if (process.env['KUBECONFIG'] === undefined)
    return { figures: [], notes: ['not measured: needs a cluster with kwok'] };
  const platformId = `scale-${process.pid}`;
  const services = SERVICES / (isTenth ? 10 : 1);
  const open = () =>
    createKubernetesRuntime({
      kube: openKube(),
      pods: {
        ...{
          platformId,
          cpuRequestRatio: 0.05,
          memoryRequestRatio: 0.1,
          diskBytes: 64 * MEBIBYTE,
          runtimeClass: undefined,
        },
        ...{
          hasUserNamespaces: false,
          volumeGroup: 10_002,
          volumesPath: '',
          pullSecret: undefined,
          nodeLossSeconds: 30,
        },
      },
      namespaces: {
        ...{
          platformId,
          prefix: platformId,
          berthNamespace: 'default',
          blockedRanges: [],
          publicPods: [],
          volumes: undefined,
        },
        ...{ maxPods: 1_000, maxMemoryBytes: 1_024 * 1_024 * MEBIBYTE, maxCpuMillis: 1_000_000 },
      },
      patience: { unschedulableMs: 60_000, unpulledMs: 60_000 },
      ...{ clock: createSystemClock(), logger: createSilentLogger() },
    });
  const ids = createIdSource();
  const owners = Array.from({ length: services }, (_value, index) => ({
    ...{ account: `account-${index % ACCOUNTS}`, deployment: `service-${index}` },
  }));
  const due = owners.flatMap((owner) => Array.from({ length: INSTANCES }, () => owner));
  const runtime = await open();
  try {
    const idleRate = await requestsPerMinute();
    const memoryBefore = heldMemory();
    const startsMs: number[] = [];
    const startedMs = performance.now();
    const cpuBefore = process.cpuUsage();
    const work = due.values();
    const startAll = async () => {
      for (const owner of work) {
        const beganMs = performance.now();
        await runtime.start({
          ...{
            instanceId: ids.next('inst') as never,
            owner: owner as never,
            revision: 'r1',
            env: { NAME: owner.deployment },
            port: 8_080,
          },
          artifact: { kind: 'image', reference: 'registry.local/none:1', name: 'none' },
          ...{ memoryBytes: 128 * MEBIBYTE, cpuMillis: 250, mounts: [], output: { write: async () => {} } as never },
        });
        startsMs.push(performance.now() - beganMs);
        if (startsMs.length % 1_000 === 0) say(`${startsMs.length} Pods`);
      }
    };
    await Promise.all(Array.from({ length: STARTS_AT_ONCE }, startAll));
    const tookMs = performance.now() - startedMs;
    const cpu = process.cpuUsage(cpuBefore);
    const memory = heldMemory() - memoryBefore;
    const rate = await requestsPerMinute();
    const adoptsMs = performance.now();
    const other = await open();
    const found = owners.reduce((sum, owner) => sum + (other.survivors?.(owner as never, 'r1').length ?? 0), 0);
    const adoptedMs = performance.now() - adoptsMs;
    await other.close();
    if (found !== due.length) throw new Error(`${found} of ${due.length} Pods were found again`);
    const starts = spreadOf(startsMs);
    return {
      figures: [
        figure('Pods', due.length, 'Pods'),
        figure('started, a second', due.length / (tookMs / 1_000), 'Pods/s'),
        figure('start of one, median', starts.medianMs, 'ms'),
        figure('start of one, p95', starts.p95Ms, 'ms'),
        figure('CPU of the server for a start', (cpu.user + cpu.system) / 1_000 / due.length, 'ms'),
        figure('memory of the server for a Pod', memory / due.length / 1_024, 'KB'),
        figure('API requests a minute at rest, beyond those of the cluster alone', rate - idleRate, 'requests'),
        figure('another server finds all Pods', adoptedMs, 'ms'),
      ],
      notes: [
        `${services} services of ${ACCOUNTS} accounts with ${INSTANCES} instances each; no program runs in a simulated Pod.`,
        `${STARTS_AT_ONCE} starts at once; the API server, etcd and the simulated kubelets share the machine's cores.`,
      ],
    };
  } finally {
    await removeFromCluster({ BERTH_KUBE_PREFIX: platformId });
  }
}

function heldMemory(): number {
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** All requests that the API server answers within a minute, watches that begin included. */
async function requestsPerMinute(): Promise<number> {
  const count = async () => {
    const { stdout } = await promisify(execFile)('kubectl', ['get', '--raw', '/metrics'], { maxBuffer: 64 * MEBIBYTE });
    const lines = stdout.split('\n').filter((line) => line.startsWith('apiserver_request_total{'));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  const before = await count();
  await sleep(IDLE_MS);
  return (await count()) - before;
}
