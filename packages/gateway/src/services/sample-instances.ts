import type { Timer } from '@berth/kit';
import type { InstanceContext } from '../instances/instance-context.ts';
import { measureInstance } from '../instances/measure-instance.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { InstanceState } from '../port/instance-state.ts';
import type { RevisionPool } from './revision-pool.ts';

/** How often each instance is measured. */
export const SAMPLE_EVERY_MS = 10_000;
/** A round goes in steps, for a reading may take a system call or ten: 1,000 instances are ten a step. */
const STEP_MS = 100;
const STEPS = 80;

/** Frozen ones use nothing, and keep what they had. */
const MEASURED_STATES: ReadonlySet<InstanceState> = new Set(['starting', 'ready', 'unready', 'draining']);

/** Measures what runs, all the time. */
export interface InstanceSampler {
  /** Something runs: without it there is no timer. */
  wake(): void;
  close(): void;
}

/** Measures every instance of `pools` each ten seconds, spread over them; on an engine that answers slowly, more rarely. */
export function createInstanceSampler(
  context: Pick<InstanceContext, 'clock' | 'events'>,
  pools: ReadonlySet<RevisionPool>,
): InstanceSampler {
  const { clock } = context;
  let timer: Timer | null = null;
  let isClosed = false;

  const later = (ms: number, work: () => void) => {
    if (!isClosed) timer = clock.setTimer(ms, work);
  };

  const beginRound = () => {
    if (pools.size === 0) {
      timer = null;
      return;
    }
    const instances: Sample[] = [];
    for (const pool of pools) {
      for (const instance of pool.fleet.all) {
        if (MEASURED_STATES.has(instance.state)) instances.push({ pool, instance });
      }
    }
    const startedMs = clock.monotonicMs();
    const size = Math.ceil(instances.length / STEPS);
    const step = async (from: number): Promise<void> => {
      const batch = instances.slice(from, from + size);
      await Promise.all(batch.map(({ pool, instance }) => measure(pool, instance)));
      if (from + size < instances.length) later(STEP_MS, () => void step(from + size));
      else later(Math.max(STEP_MS, startedMs + SAMPLE_EVERY_MS - clock.monotonicMs()), beginRound);
    };
    void step(0);
  };

  /** It may have been frozen or ended since the round began. */
  const measure = async (pool: RevisionPool, instance: ServiceInstance): Promise<void> => {
    if (MEASURED_STATES.has(instance.state)) await measureInstance(context, pool.target, instance);
  };

  return {
    wake() {
      if (timer === null) later(SAMPLE_EVERY_MS, beginRound);
    },
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}

interface Sample {
  readonly pool: RevisionPool;
  readonly instance: ServiceInstance;
}
