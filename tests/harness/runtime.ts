import { createHash } from 'node:crypto';
import path from 'node:path';
import type { CoreV1Api } from '@kubernetes/client-node';
import type { TestContext } from 'vitest';

/** What the services of these tests run as: `BERTH_RUNTIME` of whoever runs them. */
export const RUNTIME: 'process' | 'docker' | 'kubernetes' =
  process.env['BERTH_RUNTIME'] === 'docker' || process.env['BERTH_RUNTIME'] === 'kubernetes'
    ? process.env['BERTH_RUNTIME']
    : 'process';

/** Where the engine for tests is; never the machine's own, which is someone's. */
export const TEST_ENGINE: string | undefined = process.env['BERTH_TEST_ENGINE'];

/** Made by tools/base-images. */
const BASE_IMAGES = 'node=berth-base/node,python=berth-base/python,go=berth-base/go,plain=berth-base/debian';

/** Skips the test unless services run as processes; `why` says what containers do instead. */
export function needsProcesses(context: TestContext, why: string): void {
  if (RUNTIME !== 'process') context.skip(`by design: ${why}`);
}

/** Settings of a server for that runtime: it is never left to the server to choose. @param dataFolder of the server */
export function runtimeSettings(dataFolder: string): Record<string, string> {
  if (RUNTIME === 'kubernetes') return { ...kubernetesSettings(dataFolder), ...sharedVolumes(dataFolder) };
  return RUNTIME === 'process' ? { BERTH_RUNTIME: 'process' } : dockerSettings();
}

/** Settings of servers whose services run on the cluster of `KUBECONFIG`, apart from those of all others. @param platform any text */
export function kubernetesSettings(platform: string): Record<string, string> {
  const registry = process.env['BERTH_TEST_REGISTRY'];
  if (registry === undefined) throw new Error('tests on Kubernetes need BERTH_TEST_REGISTRY');
  const name = prefixOf(platform);
  return {
    BERTH_RUNTIME: 'kubernetes',
    BERTH_KUBE_PREFIX: name,
    BERTH_KUBE_NAMESPACE: 'default',
    BERTH_REGISTRY: `http://${registry}/${name}`,
    BERTH_REGISTRY_NETWORKS: '10.0.0.0/8',
    BERTH_BUILDER_IMAGE: `${registry}/berth-builder:1`,
    BERTH_BASE_IMAGES: `node=${registry}/node:24-slim,plain=${registry}/debian:13-slim`,
    BERTH_COLLECTOR: 'false',
    BERTH_CLUSTER_PORT: '0',
    BERTH_CLUSTER_ADDRESS: '127.0.0.1',
    // Servers that share two cores with a cluster and other tests are late at times.
    BERTH_GATEWAY_LEASE: '10',
  };
}

function sharedVolumes(platform: string): Record<string, string> {
  const folder = process.env['BERTH_TEST_VOLUMES'];
  if (folder === undefined) throw new Error('tests on Kubernetes need BERTH_TEST_VOLUMES');
  const name = prefixOf(platform);
  return { BERTH_SHARED_FOLDER: path.join(folder, name), BERTH_VOLUME_CLAIM: `shared/${name}` };
}

/** Removes the namespaces of servers with these settings, with the services that outlive them. */
export async function removeFromCluster(settings: Readonly<Record<string, string>>): Promise<void> {
  const core = await openCluster();
  const { items } = await core.listNamespace({ labelSelector: `berth.dev/platform=${settings['BERTH_KUBE_PREFIX']}` });
  for (const { metadata } of items) await core.deleteNamespace({ name: metadata?.name ?? '' });
}

/** The cluster of `KUBECONFIG`. */
export async function openCluster(): Promise<CoreV1Api> {
  // Loaded late: the client takes half a second, and few test files need it.
  const { CoreV1Api, KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromDefault();
  return config.makeApiClient(CoreV1Api);
}

const prefixOf = (platform: string) => `t${createHash('sha256').update(platform).digest('hex').slice(0, 8)}`;

/** Settings of a server that runs containers, whatever the other tests run. */
export function dockerSettings(): Record<string, string> {
  if (TEST_ENGINE === undefined) {
    throw new Error('tests on containers need an engine of their own: eval "$(node tools/test-engine/main.ts start)"');
  }
  return { BERTH_RUNTIME: 'docker', DOCKER_HOST: TEST_ENGINE, BERTH_BASE_IMAGES: BASE_IMAGES };
}
