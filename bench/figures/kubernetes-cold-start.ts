import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Api, V1Pod } from '@kubernetes/client-node';
import { REPO } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { request } from '../../tests/harness/request.ts';
import { kubernetesSettings, openCluster, removeFromCluster } from '../../tests/harness/runtime.ts';
import { startServers } from '../../tests/harness/servers.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { spreadOf } from '../statistics.ts';
import { untilAnswer } from '../until-answer.ts';
import { wake } from '../wake.ts';

const SERVICES = 3;
const ROUNDS = 10;
const EXAMPLE = path.join(REPO, 'examples/hello-node');
const LOOK_MS = 10;

/**
 * The first request to a service that is not running, beside a Pod with the same spec that is created by hand: the time that the cluster takes,
 * whatever runs on it. They take turns, so that both see the same machine.
 */
export async function measureKubernetesColdStart({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  if (process.env['KUBECONFIG'] === undefined || process.env['BERTH_TEST_REGISTRY'] === undefined) {
    return { figures: [], notes: ['not measured: needs a cluster (docs/guides/kubernetes.md, Tests)'] };
  }
  const settings = kubernetesSettings(`cold-start-${process.pid}`);
  const core = await openCluster();
  await using servers = await startServers({ count: 1, env: { ...settings, BERTH_IDLE_TIMEOUT: '1' } });
  const [berth] = servers.all;
  if (!berth) throw new Error('no server was started');
  try {
    const names = Array.from({ length: isTenth ? 1 : SERVICES }, (_value, index) => `cold-${index}`);
    for (const name of names) await deployed(berth, name, { folder: EXAMPLE });
    await request(berth, names[0] as string);
    const { items } = await core.listPodForAllNamespaces({ labelSelector: `berth.dev/deployment=${names[0]}` });
    const [pattern] = items;
    if (!pattern) throw new Error('no Pod of the service was found');
    const coldMs: number[] = [];
    const floorMs: number[] = [];
    for (let round = 0; round < (isTenth ? 2 : ROUNDS); round++) {
      for (const name of names) {
        coldMs.push(await wake(berth, name));
        floorMs.push(await startByHand(core, pattern));
      }
      say(`round ${round + 1}: ${JSON.stringify({ cold: spreadOf(coldMs), floor: spreadOf(floorMs) })}`);
    }
    const [cold, floor] = [spreadOf(coldMs), spreadOf(floorMs)];
    return {
      figures: [
        figure('cold starts measured', cold.runs, 'runs'),
        figure('cold start, request to answer, median', cold.medianMs, 'ms'),
        figure('cold start, request to answer, p95', cold.p95Ms, 'ms'),
        figure('Pod created by hand to first 200, median', floor.medianMs, 'ms'),
        figure('Pod created by hand to first 200, p95', floor.p95Ms, 'ms'),
        figure('cold start beyond the Pod by hand, medians', cold.medianMs - floor.medianMs, 'ms', { target: 50 }),
      ],
      notes: [
        `${names.length} services of examples/hello-node, woken one at a time; their image is on the nodes.`,
        `By hand: the Pod's address is looked up every ${LOOK_MS} ms, then the Pod is asked every millisecond.`,
      ],
    };
  } finally {
    await removeFromCluster(settings);
  }
}

/** Creates a copy of a Pod, waits until it answers, and deletes it. @returns milliseconds until the answer */
async function startByHand(core: CoreV1Api, { metadata, spec }: V1Pod): Promise<number> {
  const namespace = metadata?.namespace ?? '';
  const name = `by-hand-${randomUUID()}`;
  const { nodeName: _, serviceAccountName: _default, volumes: _volumes, ...rest } = spec ?? { containers: [] };
  const startedMs = performance.now();
  await core.createNamespacedPod({ namespace, body: { metadata: { name, namespace }, spec: rest } });
  let address: string | undefined;
  while (address === undefined) {
    address = (await core.readNamespacedPod({ namespace, name })).status?.podIP;
    if (address === undefined) await sleep(LOOK_MS);
  }
  await untilAnswer(8080, address);
  const ms = performance.now() - startedMs;
  await core.deleteNamespacedPod({ namespace, name, gracePeriodSeconds: 0 });
  return ms;
}
