import { type Berth, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { hostOf, request } from '../../tests/harness/request.ts';
import { kubernetesSettings, removeFromCluster } from '../../tests/harness/runtime.ts';
import { startServers } from '../../tests/harness/servers.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { findInstance } from '../find-instance.ts';
import { CORES, pinProcess } from '../pin-process.ts';
import { cpuSeconds, processTree } from '../process-tree.ts';
import { mixedService } from '../services.ts';
import { quantile, spreadOf } from '../statistics.ts';
import { runWrk } from '../wrk.ts';

const ROUNDS = 5;
const REDEPLOYS = 10;
const CONNECTIONS = 64;
const FIELDS = { concurrency: '1000', max_instances: '1' };

/**
 * Requests through the gateways of a cluster, beside a server that has the same service on its own machine; then redeploys of it. One of the two
 * gateways counts the service's requests, the other one borrows slots from it; which is which, the figures tell by their order.
 */
export async function measureKubernetesServing({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  if (process.env['KUBECONFIG'] === undefined || process.env['BERTH_TEST_REGISTRY'] === undefined) {
    return { figures: [], notes: ['not measured: needs a cluster (docs/guides/kubernetes.md, Tests)'] };
  }
  const settings = kubernetesSettings(`serving-${process.pid}`);
  await using alone = await startBerth({ env: { BERTH_RUNTIME: 'process' } });
  await using servers = await startServers({ count: 2, env: settings });
  const [first, second] = servers.all as [Berth, Berth];
  try {
    await deployed(alone, 'plain', { files: mixedService(), fields: FIELDS });
    // Its program is a child of the server, and no part of what is measured.
    const { pids: program } = findInstance('plain');
    await deployed(first, 'plain', { files: mixedService(), fields: FIELDS });
    const targets = { 'one machine': alone, 'first gateway': first, 'second gateway': second };
    for (const berth of Object.values(targets)) {
      await request(berth, 'plain');
      pinProcess(berth.pid, CORES.target);
      await ratePerCpuSecond(berth, program, 2);
    }
    const perCpu = new Map<string, number[]>();
    for (let round = 0; round < (isTenth ? 1 : ROUNDS); round++) {
      for (const [name, berth] of Object.entries(targets)) {
        const rate = await ratePerCpuSecond(berth, program, isTenth ? 1 : 3);
        perCpu.set(name, [...(perCpu.get(name) ?? []), rate]);
        say(`round ${round + 1}: ${name} ${Math.round(rate)} requests per CPU second`);
      }
    }
    const median = (name: string) => quantile(perCpu.get(name) ?? [], 0.5);
    const redeployMs: number[] = [];
    for (let round = -1; round < (isTenth ? 2 : REDEPLOYS); round++) {
      const files = { ...mixedService(), 'version.txt': `${crypto.randomUUID()}\n` };
      const startedMs = performance.now();
      await deployed(first, 'plain', { files, fields: FIELDS });
      // The first one starts the builder's Pod.
      if (round >= 0) redeployMs.push(performance.now() - startedMs);
    }
    const redeploy = spreadOf(redeployMs);
    return {
      figures: [
        ...Object.keys(targets).map((name) => figure(`${name}: requests per CPU second`, median(name), 'req/s')),
        ...['first gateway', 'second gateway'].map((name) =>
          figure(`${name} / one machine`, median(name) / median('one machine'), 'ratio'),
        ),
        figure('redeploy, upload to DONE, median', redeploy.medianMs, 'ms'),
        figure('redeploy, upload to DONE, p95', redeploy.p95Ms, 'ms'),
      ],
      notes: [
        'The servers run beside the cluster. CPU seconds are those of the server, not of the network of Pods, which the kernel counts elsewhere.',
        'A redeploy builds the image in the warm builder Pod of the account, pushes it, pulls it on a node and starts a Pod.',
      ],
    };
  } finally {
    await removeFromCluster(settings);
  }
}

async function ratePerCpuSecond(berth: Berth, program: readonly number[], seconds: number): Promise<number> {
  const pids = () => processTree(berth.pid, (pid) => program.includes(pid));
  const before = cpuSeconds(pids());
  const { requests } = await runWrk({
    port: berth.port,
    host: hostOf(berth, 'plain'),
    connections: CONNECTIONS,
    seconds,
  });
  return requests / (cpuSeconds(pids()) - before);
}
