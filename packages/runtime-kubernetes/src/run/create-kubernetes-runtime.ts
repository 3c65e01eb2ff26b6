import { CONTAINER_MOUNTS, createError } from '@berth/contract';
import { type Clock, type InstanceId, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { InstanceSpec, Owner, Runtime } from '@berth/runtime';
import { DEFAULT_GRACE_MS, dialAddress, toConnection, trackStarts } from '@berth/runtime/drivers';
import type { V1Pod } from '@kubernetes/client-node';
import { createAccountNamespaces, type NamespacePolicy } from '../account/account-namespaces.ts';
import { type Kube, statusOf, translateStartError } from '../api/kube.ts';
import { openPodWatch } from '../api/pod-watch.ts';
import {
  DEPLOYMENT_LABEL,
  INSTANCE_LABEL,
  KIND_LABEL,
  ofPlatform,
  podName,
  REVISION_LABEL,
  toLabelValue,
} from '../pod/names.ts';
import { type ImageSpec, type PodPolicy, podOf } from '../pod/pod-spec.ts';
import { readPodState } from '../pod/pod-state.ts';
import { createInstance, deletePod, type InstanceParts } from './create-instance.ts';
import { type ClusterLimit, describeCapabilities } from './describe-capabilities.ts';
import { execInService } from './exec-in-service.ts';
import { followOutput } from './follow-output.ts';
import { createNodeStats } from './node-stats.ts';
import { createRevisionObjects } from './revision-objects.ts';
import { type StartPatience, untilStarted } from './start-pod.ts';

/** Options of {@link createKubernetesRuntime}. */
export interface KubernetesRuntimeOptions {
  readonly kube: Kube;
  readonly pods: PodPolicy;
  readonly namespaces: NamespacePolicy;
  readonly patience: StartPatience;
  /** Limits that the operator vouches for; none by default. */
  readonly clusterEnforces?: readonly ClusterLimit[];
  /** Whether this process has the instances of a deployment, and removes those that none has; true by default. */
  readonly isOwned?: (deployment: string) => boolean;
  /** A collector on each node reads the output of services. False: this process follows it, as far as the API server keeps up. True by default. */
  readonly isOutputCollected?: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Interval at which Pods are looked for that no process has. */
const SWEEP_MS = 60_000;
/** The longest drain of a replaced revision (600 s in the gateway) and a minute: another process may have had a Pod for that. */
const UNHELD_MS = 660_000;

/**
 * Creates the runtime that starts services as Pods. They outlive this process: another one finds them with `survivors`, and adopts them when
 * it starts an instance of the same id.
 * @throws what the API server answers
 */
export async function createKubernetesRuntime(options: KubernetesRuntimeOptions): Promise<Runtime> {
  const { kube, clock, logger, patience, isOwned = () => true, isOutputCollected = true } = options;
  const policy = options.pods;
  const pods = await openPodWatch({ kube, selector: ofPlatform(policy.platformId), clock, logger });
  const namespaces = createAccountNamespaces(kube, options.namespaces);
  const revisions = createRevisionObjects(kube, policy.platformId);
  const parts: InstanceParts = { kube, pods, stats: createNodeStats(kube, clock), clock, logger };
  /** `namespace/name` of Pods that have an instance in this process. */
  const held = new Set<string>();

  /** @throws BerthError `start_failed` for a revision that another runtime made, or mounts that the cluster can't provide. */
  const toImageSpec = (spec: InstanceSpec): ImageSpec => {
    const { artifact, mounts } = spec;
    if (artifact.kind !== 'image') {
      throw createError(
        'start_failed',
        'This revision was built for the process runtime, but this platform runs on Kubernetes. Deploy again to build an image.',
      );
    }
    if (mounts.length > 0 && options.namespaces.volumes === undefined) {
      throw createError(
        'start_failed',
        'Volumes can’t be mounted: this platform has no storage class with ReadWriteMany. Access objects with signed URLs, and deploy with volumes={}.',
      );
    }
    return { ...spec, artifact };
  };

  const keyOf = (pod: V1Pod) => `${pod.metadata?.namespace}/${pod.metadata?.name}`;
  const isFree = (pod: V1Pod) =>
    pod.metadata?.deletionTimestamp === undefined && !held.has(keyOf(pod)) && readPodState(pod).kind === 'running';
  const labelOf = (pod: V1Pod, label: string) => pod.metadata?.labels?.[label];
  const findSurvivor = ({ instanceId }: ImageSpec) =>
    pods.list().find((pod) => labelOf(pod, INSTANCE_LABEL) === instanceId && isFree(pod));

  const wrap = (spec: ImageSpec, pod: V1Pod, host: string, isAdopted: boolean) => {
    const { namespace = '', name = '' } = pod.metadata ?? {};
    const left = new AbortController();
    const delivered =
      spec.command === undefined && isOutputCollected
        ? Promise.resolve()
        : followOutput(kube, { namespace, name }, { sink: spec.output, isAdopted, logger, signal: left.signal });
    const node = pod.spec?.nodeName ?? '';
    const instance = createInstance({
      ...{ spec, namespace, name, host, node, delivered, parts },
      onReleased: () => left.abort(),
    });
    runInBackground(
      'forget a Pod',
      instance.removed.then(() => held.delete(keyOf(pod))),
      logger,
    );
    return instance;
  };

  /** Whether someone deleted the account's namespace or the revision's Secret, which this process knows as there. */
  const isVanished = (error: unknown) =>
    statusOf(error) === 404 || (error instanceof Error && /: secret "[^"]*" not found/.test(error.message));
  const create = async (
    spec: ImageSpec,
    signal: AbortSignal | undefined,
    isRetry = false,
  ): Promise<ReturnType<typeof wrap>> => {
    const namespace = await namespaces.ensure(spec.owner.account);
    const name = podName(spec);
    const key = `${namespace}/${name}`;
    held.add(key);
    try {
      const references = await revisions.ensure(spec, namespace);
      signal?.throwIfAborted();
      await kube.core.createNamespacedPod({ namespace, body: podOf(spec, namespace, references, policy) });
      const { pod, host } = await untilStarted(pods, { namespace, name }, patience, signal);
      return wrap(spec, pod, host, false);
    } catch (error) {
      await deletePod(kube, { namespace, name }, 0).catch((left: unknown) =>
        logger.warn({ pod: key, error: String(left) }, 'a Pod was left behind'),
      );
      held.delete(key);
      if (isRetry || !isVanished(error)) throw error;
      namespaces.forget(spec.owner.account);
      revisions.forget(namespace);
      return create(spec, signal, true);
    }
  };

  const starts = trackStarts(async (given, signal) => {
    try {
      const spec = toImageSpec(given);
      const survivor = spec.command === undefined ? findSurvivor(spec) : undefined;
      const state = survivor && readPodState(survivor);
      if (survivor && state?.kind === 'running') {
        held.add(keyOf(survivor));
        return wrap(spec, survivor, state.address, true);
      }
      return await create(spec, signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw translateStartError(error);
    }
  }, logger);

  /** When Pods were first seen that no instance of this process has. */
  const unheld = new Map<string, number>();
  const sweep = async (): Promise<void> => {
    const nowMs = clock.monotonicMs();
    const found = new Set<string>();
    for (const pod of pods.list()) {
      const key = keyOf(pod);
      if (held.has(key) || !isOwned(labelOf(pod, DEPLOYMENT_LABEL) ?? '')) continue;
      found.add(key);
      if (!unheld.has(key)) unheld.set(key, nowMs);
      const hasEnded = readPodState(pod).kind !== 'running';
      if (!hasEnded && nowMs - (unheld.get(key) ?? nowMs) < UNHELD_MS) continue;
      const { namespace = '', name = '' } = pod.metadata ?? {};
      logger.info({ pod: key }, 'removing a Pod that no gateway has');
      await deletePod(kube, { namespace, name }, DEFAULT_GRACE_MS / 1_000);
    }
    for (const key of unheld.keys()) if (!found.has(key)) unheld.delete(key);
  };
  let timer: Timer;
  const sweepLater = () => {
    timer = clock.setTimer(SWEEP_MS, () => runInBackground('remove unused Pods', sweep().finally(sweepLater), logger));
  };
  sweepLater();

  /** Returns the name and the address of a running Pod. @throws BerthError `not_found` */
  const findPod = ({ account, deployment }: Owner, instanceId: InstanceId) => {
    const namespace = namespaces.nameOf(account);
    for (const pod of pods.list()) {
      const isIt =
        pod.metadata?.namespace === namespace &&
        labelOf(pod, INSTANCE_LABEL) === instanceId &&
        labelOf(pod, DEPLOYMENT_LABEL) === toLabelValue(deployment);
      const state = readPodState(pod);
      if (isIt && state.kind === 'running') return { name: pod.metadata?.name ?? '', address: state.address };
    }
    throw createError('not_found', `No instance ${instanceId} of "${deployment}" runs in the cluster.`);
  };
  return {
    name: 'kubernetes',
    canSuspend: false,
    mountPolicy: CONTAINER_MOUNTS,
    isOutputCollected,
    start: starts.start,
    // Any process may run commands in any Pod of the platform, and connect to it, whichever process has the instance.
    exec: async (owner, instanceId, command) =>
      execInService(
        kube,
        { namespace: namespaces.nameOf(owner.account), pod: findPod(owner, instanceId).name },
        command,
        logger,
      ),
    connect: async (owner, instanceId, { port, ...spec }) =>
      toConnection(await dialAddress(findPod(owner, instanceId).address, port), spec),
    survivors: ({ account, deployment }, revision) => {
      const namespace = namespaces.nameOf(account);
      const labels = { [DEPLOYMENT_LABEL]: deployment, [REVISION_LABEL]: revision };
      const isOfRevision = (pod: V1Pod) =>
        pod.metadata?.namespace === namespace &&
        labelOf(pod, KIND_LABEL) === 'service' &&
        Object.entries(labels).every(([label, value]) => labelOf(pod, label) === toLabelValue(value));
      return pods
        .list()
        .filter((pod) => isOfRevision(pod) && isFree(pod))
        .map((pod) => labelOf(pod, INSTANCE_LABEL) as InstanceId);
    },
    capabilities: async () => describeCapabilities(policy, options.clusterEnforces),
    forget: ({ account, deployment }) => revisions.remove(namespaces.nameOf(account), deployment),
    async close({ graceMs = DEFAULT_GRACE_MS } = {}) {
      timer.cancel();
      await starts.close();
      await Promise.all([...starts.running].map((instance) => instance.stop({ graceMs })));
      await pods.close();
    },
  };
}
