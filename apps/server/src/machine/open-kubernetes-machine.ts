import path from 'node:path';
import { createKubernetesRuntime, openKube, REGISTRY_SECRET, type RegistryOptions } from '@berth/runtime-kubernetes';
import { prepareWorkRoot } from '@berth/runtime-process';
import type { Config } from '../config/read-config.ts';
import type { PartOptions } from '../context/part-options.ts';
import type { Machine } from './machine.ts';

const GIBIBYTE = 2 ** 30;
/** Owner of the volumes' folders. */
const VOLUME_GROUP = 10_001;
/** How long a Pod may wait for a node, which an autoscaler may have to add, and for its image. */
const PATIENCE = { unschedulableMs: 120_000, unpulledMs: 60_000 };
/** Seconds after which Pods of a lost node are given up; services are served by others long before. */
const NODE_LOSS_SECONDS = 30;

/** Opens the runtime on a cluster. @throws what the API server answers */
export async function openKubernetesMachine(
  options: PartOptions & { readonly isOwned?: (deployment: string) => boolean },
): Promise<Machine> {
  const { config, clock, logger, shutdown, isOwned } = options;
  const [claim = '', ...claimPath] = config.volumeClaim?.split('/') ?? [];
  const runtime = await createKubernetesRuntime({
    ...{ kube: openKube(), clock, logger, patience: PATIENCE },
    ...(isOwned && { isOwned }),
    isOutputCollected: config.collector,
    clusterEnforces: config.clusterEnforces,
    pods: {
      platformId: config.kubePrefix,
      cpuRequestRatio: 1 / config.cpuOvercommit,
      memoryRequestRatio: 1 / config.memoryOvercommit,
      diskBytes: GIBIBYTE,
      runtimeClass: config.runtimeClass,
      hasUserNamespaces: config.userNamespaces,
      volumeGroup: VOLUME_GROUP,
      volumesPath: [...claimPath, 'volumes'].join('/'),
      pullSecret: config.registryUsername === undefined ? undefined : REGISTRY_SECRET,
      nodeLossSeconds: NODE_LOSS_SECONDS,
    },
    namespaces: {
      platformId: config.kubePrefix,
      prefix: config.kubePrefix,
      berthNamespace: config.kubeNamespace,
      blockedRanges: config.blockedRanges,
      publicPods: [
        {
          namespace: config.kubeNamespace,
          labels: SERVER_LABELS,
          ports: [config.port, config.tlsPort].filter((port) => port > 0),
        },
        ...config.publicPods,
      ],
      volumes: claim === '' ? undefined : { namespace: config.kubeNamespace, claim },
      registry: registryOptions(config),
      maxPods: 200,
      maxMemoryBytes: 256 * GIBIBYTE,
      maxCpuMillis: 256_000,
    },
  });
  shutdown.push('runtime', () => runtime.close());
  const workRoot = await prepareWorkRoot({ dataFolder: path.resolve(config.dataFolder), needsPublic: false });
  return { runtime, workRoot, builds: { kind: 'cluster' }, isShared: true };
}

/** Labels of the Pods of servers, whose names are those of the chart's release. */
const SERVER_LABELS = { 'app.kubernetes.io/name': 'berth' };

/** Returns the registry of the settings. */
export function registryOptions({
  registry = '',
  registryUsername: username,
  registryPassword: password = '',
}: Pick<Config, 'registry' | 'registryUsername' | 'registryPassword'>): RegistryOptions {
  return { url: registry, ...(username !== undefined && { credentials: { username, password } }) };
}

/** Returns the namespace of builds. */
export function buildNamespace({ kubePrefix }: Pick<Config, 'kubePrefix'>): string {
  return `${kubePrefix}-builds`;
}
