import { Agent, type AgentOptions, type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Clock, createSingleFlight } from '@berth/kit';
import type { InstanceStats } from '@berth/runtime';
import type { Kube } from '../api/kube.ts';

/** Resource usage of Pods, as the kubelets of their nodes measure it. */
export interface NodeStats {
  /** Returns the usage of a Pod. @throws Error when its node doesn't answer or hasn't measured it yet. */
  read(node: string, namespace: string, pod: string): Promise<InstanceStats>;
}

/** Time for which the answer of a kubelet is used: it measures every ten seconds. */
const FRESH_MS = 5_000;
const TIMEOUT_MS = 5_000;

/**
 * Reads `/metrics/resource` of kubelets through the API server's proxy or, where the platform may not use that, directly.
 * Source: Kubernetes, "Node metrics data"; the permission is `nodes/metrics`.
 */
export function createNodeStats(kube: Kube, clock: Clock): NodeStats {
  const answers = new Map<string, { readonly atMs: number; readonly usage: ReadonlyMap<string, InstanceStats> }>();
  const flights = createSingleFlight<ReadonlyMap<string, InstanceStats>>();
  const read = async (node: string): Promise<ReadonlyMap<string, InstanceStats>> => {
    const known = answers.get(node);
    if (known && clock.monotonicMs() - known.atMs < FRESH_MS) return known.usage;
    return flights.run(node, async () => {
      const usage = parseResourceMetrics(await askKubelet(kube, node));
      answers.set(node, { atMs: clock.monotonicMs(), usage });
      return usage;
    });
  };
  return {
    async read(node, namespace, pod) {
      const usage = (await read(node)).get(`${namespace}/${pod}`);
      if (!usage) throw new Error(`the kubelet of ${node} has not measured ${pod} yet`);
      return usage;
    },
  };
}

async function askKubelet({ core, config }: Kube, node: string): Promise<string> {
  const { status } = await core.readNode({ name: node });
  const host = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10_250;
  if (host === undefined) throw new Error(`the node ${node} has no address`);
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options as Parameters<typeof config.applyToHTTPSOptions>[0]);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...options,
        agent: new Agent(options as AgentOptions),
        host,
        port,
        path: '/metrics/resource',
        timeout: TIMEOUT_MS,
      },
      (response) => {
        if (response.statusCode === 200) text(response).then(resolve, reject);
        else {
          response.resume();
          reject(new Error(`the kubelet of ${node} answered ${response.statusCode}`));
        }
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`the kubelet of ${node} did not answer`)));
    sent.on('error', reject);
    sent.end();
  });
}

const METRIC = /^(pod_cpu_usage_seconds_total|pod_memory_working_set_bytes)\{([^}]*)\} ([0-9.e+-]+)/;

/** Parses the metrics of Pods by `namespace/name`. Source: kubelet, pkg/kubelet/metrics/collectors/resource_metrics.go. */
export function parseResourceMetrics(metrics: string): Map<string, InstanceStats> {
  const usage = new Map<string, InstanceStats>();
  for (const line of metrics.split('\n')) {
    const [, metric, labels = '', value = ''] = METRIC.exec(line) ?? [];
    if (metric === undefined) continue;
    const labelOf = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1];
    const key = `${labelOf('namespace')}/${labelOf('pod')}`;
    const before = usage.get(key) ?? { cpuMs: 0, memoryBytes: 0 };
    usage.set(
      key,
      metric === 'pod_cpu_usage_seconds_total'
        ? { ...before, cpuMs: Number(value) * 1_000 }
        : { ...before, memoryBytes: Number(value) },
    );
  }
  return usage;
}
