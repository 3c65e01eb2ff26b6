import type { Timer } from '@berth/kit';
import type { InstanceContext } from '../instances/instance-context.ts';
import { createInstanceEvents } from '../instances/instance-events.ts';
import { measureInstance } from '../instances/measure-instance.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { InstanceState } from '../port/gateway.ts';
import type { RevisionPool } from './revision-pool.ts';

/** Interval between two measurements of one instance. */
export const SAMPLE_EVERY_MS = 10_000;
/** A round is spread over steps, because one measurement can take several system calls. With 1,000 instances a step measures 13. */
const STEP_MS = 100;
const STEPS = 80;

/** Suspended instances are not measured: they use no CPU, and their memory does not change. */
const MEASURED_STATES: ReadonlySet<InstanceState> = new Set(['starting', 'ready', 'unready', 'draining']);

/** Creates a sampler that measures every instance of `pools` every ten seconds, or less often when the engine answers slowly. */
export function createInstanceSampler(
  context: Pick<InstanceContext, 'clock' | 'events'>,
  pools: ReadonlySet<RevisionPool>,
) {
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
    const all = [...pools].flatMap((pool) => [...pool.fleet.all].map((instance) => ({ pool, instance })));
    const instances = all.filter(({ instance }) => MEASURED_STATES.has(instance.state));
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

  /** Skips an instance that was suspended or ended after the round began. */
  const measure = async (pool: RevisionPool, instance: ServiceInstance): Promise<void> => {
    if (MEASURED_STATES.has(instance.state))
      await measureInstance(context, createInstanceEvents(context, pool.target), instance);
  };

  return {
    /** Starts the timer if it is stopped. Called when a pool gets an instance; the timer stops when no pool is left. */
    wake() {
      if (timer === null) later(SAMPLE_EVERY_MS, beginRound);
    },
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
