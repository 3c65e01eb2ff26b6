import type { BuildLimits } from '@berth/builder/image';
import { createError } from '@berth/contract';
import { type Clock, describeError, type IdSource, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { V1Pod } from '@kubernetes/client-node';
import { execInPod } from '../api/exec.ts';
import { type Kube, translateStartError } from '../api/kube.ts';
import type { PodWatch } from '../api/pod-watch.ts';
import { toDnsLabel } from '../pod/names.ts';
import { deletePod } from '../run/create-instance.ts';
import { type BuildPolicy, builderPodOf, LIST_PROCESSES, MEASURE, REACH_API_SERVER } from './build-pod.ts';

/** Options of {@link createBuilderPods}. */
export interface BuilderPodsOptions {
  readonly kube: Kube;
  /** Watches the builder Pods. */
  readonly pods: PodWatch;
  readonly policy: BuildPolicy;
  readonly limits: Pick<BuildLimits, 'memoryBytes' | 'cpuMillis' | 'diskBytes' | 'timeoutMs'>;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A Pod that runs one build. */
export interface BuilderPod {
  readonly namespace: string;
  readonly name: string;
  /** Aborts when the Pod ended. Its reason says why. */
  readonly ended: AbortSignal;
  /** True when the Pod ended because its commands used more memory than its limit. Not all nodes end the whole Pod then. */
  isOutOfMemory(): boolean;
  /** The end of the build. The Pod is kept for the next build of the account if `isReusable` and nothing of this build runs on. */
  release(isReusable: boolean): void;
}

/** The builder Pods of a server. */
export interface BuilderPods {
  /**
   * Returns a Pod for a build: one that the account's builds have left idle, with their base images and layers, or a new one.
   * @throws BerthError `out_of_capacity` when it does not start in time; the reason of the signal
   */
  take(account: string, signal: AbortSignal): Promise<BuilderPod>;
  idleCount(): number;
  /** Whether the cluster enforces NetworkPolicies, as the first builder Pod found out; undefined before. */
  readonly isPolicyEnforced: boolean | undefined;
  /** Deletes the idle Pods, and returns how many they were. */
  clear(): Promise<number>;
  /** Deletes all Pods that are idle now or later. */
  close(): Promise<void>;
}

/** How long a Pod may wait for a node and for the builder's image. */
const BEGIN_MS = 180_000;
/** How long a Pod without a build is kept. */
const IDLE_MS = 300_000;
const LIFETIME_MS = 3_600_000;
/** Time for the checks after a build. */
const CHECK_MS = 30_000;

interface Entry {
  readonly name: string;
  readonly account: string;
  readonly bornMs: number;
  readonly ended: AbortController;
  stopFollowing: () => void;
  idle: Timer | undefined;
  isOutOfMemory: boolean;
}

/**
 * Creates the pool of builder Pods. A Pod belongs to one account for all its life, since a project's commands may leave things behind in its storage.
 */
export function createBuilderPods(options: BuilderPodsOptions): BuilderPods {
  const { kube, pods, policy, limits, ids, clock, logger } = options;
  const { namespace } = policy;
  const lifetimeMs = Math.max(LIFETIME_MS, 2 * limits.timeoutMs);
  const idle = new Set<Entry>();
  /** Pods whose build has ended, until it is known whether they are kept. */
  const undecided = new Map<Entry, Promise<void>>();
  let isPolicyEnforced: boolean | undefined;
  let isClosed = false;

  const remove = (entry: Entry) => {
    entry.idle?.cancel();
    idle.delete(entry);
    entry.stopFollowing();
    return deletePod(kube, { namespace, name: entry.name }, 0).catch((error: unknown) =>
      logger.warn({ pod: entry.name, error: describeError(error) }, 'a builder Pod was left behind'),
    );
  };
  const lend = (entry: Entry): BuilderPod => {
    entry.idle?.cancel();
    idle.delete(entry);
    return {
      ...{ namespace, name: entry.name, ended: entry.ended.signal },
      isOutOfMemory: () => entry.isOutOfMemory,
      release(isReusable) {
        const decide = async () => {
          const isKept = isReusable && !isClosed && (await isClean(entry).catch(() => false));
          // A Pod that has just started may be reachable until the network plugin has seen it.
          if (isKept) isPolicyEnforced ??= await isConfined(entry).catch(() => undefined);
          if (!isKept || isClosed || entry.ended.signal.aborted) return remove(entry);
          idle.add(entry);
          entry.idle = clock.setTimer(IDLE_MS, () => runInBackground('delete a builder Pod', remove(entry), logger));
        };
        const decision = decide().finally(() => undecided.delete(entry));
        undecided.set(entry, decision);
        runInBackground('release a builder Pod', decision, logger);
      },
    };
  };
  const run = async ({ name }: Entry, container: 'build' | 'push', command: readonly string[]) => {
    let text = '';
    const onOutput = (chunk: Buffer) => {
      text += chunk.toString('utf8');
    };
    const signal = AbortSignal.timeout(CHECK_MS);
    const code = await execInPod(kube, { namespace, pod: name, container, command, signal, onOutput });
    return { code, text: text.trim() };
  };
  const isConfined = async (entry: Entry) => (await run(entry, 'build', REACH_API_SERVER)).code !== 0;
  /** True if no process of a build is left and the storage has room for another one. */
  const isClean = async (entry: Entry): Promise<boolean> => {
    const processes = (await run(entry, 'build', LIST_PROCESSES)).text.split('\n');
    // `sleep` and `find`.
    if (processes.length > 2) return false;
    return Number.parseInt((await run(entry, 'push', MEASURE)).text, 10) < limits.diskBytes;
  };
  const create = async (account: string, signal: AbortSignal): Promise<Entry> => {
    const entry: Entry = {
      ...{ account, bornMs: clock.monotonicMs(), ended: new AbortController(), idle: undefined },
      isOutOfMemory: false,
      name: toDnsLabel(ids.next('builder'), 63),
      stopFollowing: () => {},
    };
    const body = builderPodOf({ limits, name: entry.name, lifetimeSeconds: Math.ceil(lifetimeMs / 1_000) }, policy);
    try {
      await kube.core.createNamespacedPod({ namespace, body });
    } catch (error) {
      throw translateStartError(error);
    }
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    let latest: V1Pod | undefined;
    const timer = clock.setTimer(BEGIN_MS, () => reject(notBegun(latest)));
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    entry.stopFollowing = pods.follow(namespace, entry.name, (pod) => {
      latest = pod ?? latest;
      const why = endOf(pod);
      entry.isOutOfMemory ||=
        pod?.status?.containerStatuses?.some(({ state }) => state?.terminated?.reason === 'OOMKilled') ?? false;
      if (why !== undefined) {
        const error = createError('unavailable', why);
        entry.ended.abort(error);
        reject(error);
        if (idle.has(entry)) void remove(entry);
      } else if (pod?.status?.containerStatuses?.every(({ state }) => state?.running)) resolve();
    });
    try {
      await ready;
      return entry;
    } catch (error) {
      void remove(entry);
      throw error;
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', abort);
    }
  };

  const clear = async () => {
    const entries = [...idle];
    await Promise.all(entries.map(remove));
    return entries.length;
  };

  return {
    async take(account, signal) {
      for (;;) {
        const bornAfter = clock.monotonicMs() - lifetimeMs + limits.timeoutMs + CHECK_MS;
        const warm = [...idle].find((entry) => entry.account === account && entry.bornMs > bornAfter);
        if (warm) return lend(warm);
        const [, decision] = [...undecided].find(([entry]) => entry.account === account) ?? [];
        if (decision === undefined) return lend(await create(account, signal));
        await decision;
      }
    },
    idleCount: () => idle.size,
    get isPolicyEnforced() {
      return isPolicyEnforced;
    },
    clear,
    async close() {
      isClosed = true;
      await clear();
    },
  };
}

/** Returns why a Pod has ended; undefined while it lives. */
function endOf(pod: V1Pod | undefined): string | undefined {
  if (pod === undefined) return 'The Pod of the build was deleted.';
  const { phase, reason, message, containerStatuses = [] } = pod.status ?? {};
  const dead = containerStatuses.find(({ state }) => state?.terminated)?.state?.terminated;
  if (reason === 'Evicted') return `The node ended the build: ${message ?? 'it was evicted'}`;
  if (phase === 'Failed' || phase === 'Succeeded' || dead)
    return `The Pod of the build ended: ${message ?? reason ?? dead?.reason ?? phase}`;
  return pod.metadata?.deletionTimestamp ? 'The Pod of the build is being deleted.' : undefined;
}

function notBegun(pod: V1Pod | undefined): Error {
  const condition = pod?.status?.conditions?.find(({ status, message }) => status === 'False' && message);
  const waiting = pod?.status?.containerStatuses?.find(({ state }) => state?.waiting?.message)?.state?.waiting;
  const why = waiting?.message ?? condition?.message ?? 'it has no node';
  return createError('out_of_capacity', `The build did not begin in ${BEGIN_MS / 1_000} seconds: ${why}.`);
}
