import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { toContainerCommand } from '@berth/builder/image';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import type { ImageArtifact } from '@berth/runtime';
import type { Program, RuntimeHarness } from '@berth/runtime/contract';
import { type Kube, openKube } from '../api/kube.ts';
import { ofPlatform } from '../pod/names.ts';
import type { PodPolicy } from '../pod/pod-spec.ts';
import { createKubernetesRuntime } from '../run/create-kubernetes-runtime.ts';
import { pushImage } from './push-image.ts';

/** A cluster for tests, as the environment names it. */
export interface TestCluster {
  readonly kube: Kube;
  /** URL of its registry. */
  readonly registry: string;
  /** Folder of this machine that is the storage of the claim `shared` in the namespace `default`; undefined when there is none. */
  readonly volumesFolder: string | undefined;
}

/** Returns the cluster of `KUBECONFIG` and `BERTH_TEST_REGISTRY`; undefined without them. */
export function findTestCluster(environment: NodeJS.ProcessEnv = process.env): TestCluster | undefined {
  const registry = environment['BERTH_TEST_REGISTRY'];
  if (environment['KUBECONFIG'] === undefined || registry === undefined) return undefined;
  return { kube: openKube(), registry: `http://${registry}`, volumesFolder: environment['BERTH_TEST_VOLUMES'] };
}

/** A Kubernetes runtime on the cluster for tests. Disposing removes all it made but the images. */
export interface KubernetesHarness extends RuntimeHarness {
  readonly kube: Kube;
  readonly platformId: string;
  makeArtifact(program: Program): Promise<ImageArtifact>;
}

const MEBIBYTE = 2 ** 20;

export async function createKubernetesHarness(
  { kube, registry, volumesFolder }: TestCluster,
  changes: Partial<PodPolicy> = {},
): Promise<KubernetesHarness> {
  const platformId = randomUUID();
  const prefix = `berth-test-${platformId.slice(0, 8)}`;
  const shared = { clock: createSystemClock(), logger: createSilentLogger() };
  const runtime = await createKubernetesRuntime({
    kube,
    pods: {
      platformId,
      cpuRequestRatio: 0.05,
      memoryRequestRatio: 0.1,
      diskBytes: 64 * MEBIBYTE,
      runtimeClass: undefined,
      hasUserNamespaces: false,
      volumeGroup: 10_002,
      volumesPath: '',
      pullSecret: undefined,
      nodeLossSeconds: 10,
      ...changes,
    },
    namespaces: {
      platformId,
      prefix,
      berthNamespace: 'default',
      blockedRanges: [],
      publicPods: [],
      volumes: volumesFolder === undefined ? undefined : { namespace: 'default', claim: 'shared' },
      maxPods: 50,
      maxMemoryBytes: 16 * 1_024 * MEBIBYTE,
      maxCpuMillis: 64_000,
    },
    isOutputCollected: false,
    patience: { unschedulableMs: 20_000, unpulledMs: 30_000 },
    ...shared,
  });
  return {
    ...{ kube, platformId, runtime },
    async makeArtifact({ files, command }) {
      const reference = await pushImage({
        registry,
        base: 'node:26',
        repository: `berth-test/${randomUUID().slice(0, 8)}`,
        files,
        command: toContainerCommand(command),
      });
      return { kind: 'image', reference, name: reference };
    },
    async makeVolume() {
      const volume = `test/${randomUUID()}`;
      if (volumesFolder !== undefined) {
        const folder = path.join(volumesFolder, volume);
        await mkdir(folder, { recursive: true });
        await chmod(folder, 0o777);
      }
      const target = `/volume-${path.basename(volume)}`;
      return { volume, subPath: '', target, path: target };
    },
    readVolumeFile: (volume, name) => readFile(path.join(volumesFolder ?? '', volume, name), 'utf8'),
    async [Symbol.asyncDispose]() {
      await runtime.close({ graceMs: 0 });
      const { items } = await kube.core.listNamespace({ labelSelector: ofPlatform(platformId) });
      for (const { metadata } of items) await kube.core.deleteNamespace({ name: metadata?.name ?? '' });
    },
  };
}
