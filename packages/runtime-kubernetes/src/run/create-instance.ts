import { type Clock, describeError, type Logger } from '@berth/kit';
import type { InstanceExit, InstanceStats } from '@berth/runtime';
import { createStop, type RemovableInstance } from '@berth/runtime/drivers';
import { ignoreStatus, type Kube } from '../api/kube.ts';
import type { PodWatch } from '../api/pod-watch.ts';
import { EVICTION_SECONDS, type ImageSpec } from '../pod/pod-spec.ts';
import { readPodState } from '../pod/pod-state.ts';
import type { NodeStats } from './node-stats.ts';

/** The parts that all instances of a runtime share. */
export interface InstanceParts {
  readonly kube: Kube;
  readonly pods: PodWatch;
  readonly stats: NodeStats;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Options of {@link createInstance}. */
export interface InstanceOptions {
  readonly spec: Pick<ImageSpec, 'instanceId' | 'port'>;
  readonly namespace: string;
  readonly name: string;
  /** The Pod's address. */
  readonly host: string;
  readonly node: string;
  /** Resolves when all output was delivered. */
  readonly delivered: Promise<void>;
  /** Called when the instance is left to another process. */
  onReleased(): void;
  readonly parts: InstanceParts;
}

const RETRY_MS = 1_000;

/** Deletes a Pod, which gets SIGTERM, and SIGKILL after the grace period. Idempotent; a shorter grace period than before counts. */
export async function deletePod(
  { core }: Pick<Kube, 'core'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  graceSeconds: number,
): Promise<void> {
  await core.deleteNamespacedPod({ namespace, name, gracePeriodSeconds: graceSeconds }).catch(ignoreStatus(404));
}

/** Creates the instance of a running Pod. */
export function createInstance(options: InstanceOptions): RemovableInstance & { readonly podName: string } {
  const { spec, namespace, name, host, node, delivered, onReleased, parts } = options;
  const { kube, pods, stats, clock, logger } = parts;
  const place = { namespace, name };
  const ended = Promise.withResolvers<Omit<InstanceExit, 'isRequested'>>();
  const gone = Promise.withResolvers<void>();
  const evicted = Promise.withResolvers<void>();
  let isStopping = false;
  const stopFollowing = pods.follow(namespace, name, (pod) => {
    const state = readPodState(pod);
    if (state.kind === 'ended') ended.resolve(state.exit);
    if (pod?.metadata?.deletionTimestamp && !isStopping) evicted.resolve();
    if (pod === undefined) {
      stopFollowing();
      gone.resolve();
    }
  });
  /** Retries while the API server can't be reached: a Pod that no one stops would run on. */
  const remove = async (graceSeconds: number): Promise<void> => {
    for (;;) {
      try {
        return await deletePod(kube, place, graceSeconds);
      } catch (error) {
        logger.warn({ pod: name, error: describeError(error) }, 'a Pod could not be deleted; will retry');
      }
      await clock.sleep(RETRY_MS);
    }
  };
  let graceSeconds = 0;
  const { exited, stop } = createStop({
    ended: ended.promise.then(async (exit) => {
      await delivered;
      return exit;
    }),
    terminate: () => remove(graceSeconds),
    kill: () => void remove(0),
    removed: () => removed,
    clock,
  });
  const released = Promise.withResolvers<void>();
  const removed = Promise.race([
    released.promise,
    exited.then(async () => {
      await remove(0);
      await gone.promise;
    }),
  ]);
  return {
    instanceId: spec.instanceId,
    podName: name,
    address: { host, port: spec.port },
    port: spec.port,
    exited,
    evicted: evicted.promise,
    removed,
    stop({ graceMs = DEFAULT_GRACE_MS } = {}) {
      isStopping = true;
      // The kubelet kills at the end of its own, whole seconds; the driver's timer would be a second too early.
      graceSeconds = Math.ceil(graceMs / 1_000) + EVICTION_SECONDS;
      return stop({ graceMs: graceMs + EVICTION_SECONDS * 1_000 });
    },
    release() {
      stopFollowing();
      onReleased();
      released.resolve();
    },
    stats: (): Promise<InstanceStats> => stats.read(node, namespace, name),
    // The cluster doesn't tell which ports a Pod listens on.
    listeningPorts: async () => [],
  };
}

const DEFAULT_GRACE_MS = 10_000;
