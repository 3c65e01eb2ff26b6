import { METRICS_WINDOWS } from '@berth/contract';
import type { GatewayEvents } from '@berth/gateway';
import { type AccountId, createLimiter, describeError } from '@berth/kit';
import type { ControlContext } from '../context/control-context.ts';
import type { DeploymentUsage, ResourceUsageStore } from './resource-usage-store.ts';

/**
 * Sums the measured use of instances by deployment and minute, and writes it every ten seconds, so a crash loses
 * no more than that. After a failed write the newest {@link TALLIES_MAX} sums are kept and retried.
 */
export interface ResourceRecorder extends Pick<GatewayEvents, 'onInstance'> {
  /** Writes everything recorded before the call. @throws what the database throws; nothing is lost. */
  flush(): Promise<void>;
  /** Writes the rest. Idempotent. */
  close(): Promise<void>;
}

export interface CreateResourceRecorderOptions extends Pick<ControlContext, 'clock' | 'logger'> {
  readonly store: ResourceUsageStore;
}

export const FLUSH_MS = 10_000;
export const MINUTE_MS = 60_000;
/** Ten minutes of 1,000 deployments, in some 3 MB. */
export const TALLIES_MAX = 10_000;
const SWEEP_MS = 3_600_000;
/** The longest window, and the step that it begins in. */
const KEPT_MS = METRICS_WINDOWS['7d'] + SWEEP_MS;

interface Tally {
  readonly account: AccountId;
  readonly deployment: string;
  readonly startMs: number;
  cpuMs: number;
  instanceMs: number;
  memoryByteMs: number;
  memoryMaxBytes: number;
  readonly instances: Set<string>;
}

export function createResourceRecorder({ store, clock, logger }: CreateResourceRecorderOptions): ResourceRecorder {
  let tallies = new Map<string, Tally>();
  let isClosed = false;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  const writes = createLimiter({ concurrency: 1 });

  const flush = () =>
    writes.run(async () => {
      const taken = tallies;
      if (taken.size === 0) return;
      tallies = new Map();
      try {
        await store.add([...taken.values()].map(toUsage));
      } catch (error) {
        for (const [key, tally] of tallies) addTo(taken, key, tally);
        tallies = new Map([...taken].slice(-TALLIES_MAX));
        throw error;
      }
    });

  /** Deletes old rows, an hour's at a time. */
  const sweep = async () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - sweptAtMs < SWEEP_MS) return;
    sweptAtMs = nowMs;
    await store.removeBefore(clock.nowMs() - KEPT_MS);
  };

  const tick = () => {
    if (isClosed) return;
    flush()
      .then(sweep)
      .catch((error: unknown) =>
        logger.error({ error: describeError(error) }, 'CPU and memory usage could not be written; will retry'),
      )
      .finally(() => {
        if (!isClosed) timer = clock.setTimer(FLUSH_MS, tick);
      });
  };
  let timer = clock.setTimer(FLUSH_MS, tick);

  return {
    onInstance(event) {
      if (event.kind !== 'measured') return;
      const { account, deployment, instance, timeMs, spanMs, cpuMs, memoryBytes } = event;
      const startMs = timeMs - (timeMs % MINUTE_MS);
      addTo(tallies, `${account}/${deployment}/${startMs}`, {
        account: account as AccountId,
        deployment,
        startMs,
        cpuMs,
        instanceMs: spanMs,
        memoryByteMs: memoryBytes * spanMs,
        memoryMaxBytes: memoryBytes,
        instances: new Set([instance]),
      });
    },
    flush,
    async close() {
      isClosed = true;
      timer.cancel();
      await flush();
    },
  };
}

function addTo(tallies: Map<string, Tally>, key: string, more: Tally): void {
  const tally = tallies.get(key);
  if (tally === undefined) {
    tallies.set(key, more);
    return;
  }
  tally.cpuMs += more.cpuMs;
  tally.instanceMs += more.instanceMs;
  tally.memoryByteMs += more.memoryByteMs;
  tally.memoryMaxBytes = Math.max(tally.memoryMaxBytes, more.memoryMaxBytes);
  for (const instance of more.instances) tally.instances.add(instance);
}

function toUsage({ instances, ...tally }: Tally): DeploymentUsage {
  return { ...tally, memoryMaxBytes: Math.round(tally.memoryMaxBytes), instances: instances.size };
}
