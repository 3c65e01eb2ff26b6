import type { InstanceState, ServiceLoad } from '@berth/gateway';
import { Gauge, type Registry } from 'prom-client';

/** The gauges of what runs now. */
export interface LoadGauges {
  /** Replaces all values. Loads that `labelOf` gives the same label are summed. */
  set(loads: Iterable<ServiceLoad>, labelOf: (deployment: string) => string): void;
}

/** An instance that is gone is no instance. */
const STATES = [
  'starting',
  'failed',
  'ready',
  'unready',
  'suspended',
  'resuming',
  'draining',
] as const satisfies readonly InstanceState[];

export function createLoadGauges(registry: Registry): LoadGauges {
  const registers = [registry];
  const inFlight = new Gauge({
    name: 'berth_requests_in_flight',
    help: 'Requests that instances serve now, WebSockets included',
    labelNames: ['deployment'],
    registers,
  });
  const queueLength = new Gauge({
    name: 'berth_queue_length',
    help: 'Requests that wait for an instance now',
    labelNames: ['deployment'],
    registers,
  });
  const instances = new Gauge({
    name: 'berth_instances',
    help: 'Instances now, of all revisions, by state',
    labelNames: ['deployment', 'state'],
    registers,
  });

  return {
    set(loads, labelOf) {
      for (const gauge of [inFlight, queueLength, instances]) gauge.reset();
      for (const [deployment, sum] of sumByLabel(loads, labelOf)) {
        inFlight.set({ deployment }, sum.inFlight);
        queueLength.set({ deployment }, sum.queued);
        for (const state of STATES) {
          const count = sum.instances[state] ?? 0;
          // One state is always there, to tell none ready from none known; the rest would be zeros by the thousand.
          if (count > 0 || state === 'ready') instances.set({ deployment, state }, count);
        }
      }
    },
  };
}

interface LoadSum {
  inFlight: number;
  queued: number;
  readonly instances: Partial<Record<InstanceState, number>>;
}

/** Plain sums first: thousands of deployments may share a label, and a gauge is slow to add to. */
function sumByLabel(loads: Iterable<ServiceLoad>, labelOf: (deployment: string) => string): Map<string, LoadSum> {
  const sums = new Map<string, LoadSum>();
  for (const load of loads) {
    const label = labelOf(load.deployment);
    const sum: LoadSum = sums.get(label) ?? { inFlight: 0, queued: 0, instances: {} };
    sums.set(label, sum);
    sum.inFlight += load.inFlight;
    sum.queued += load.queued;
    for (const state of STATES) {
      const count = load.instances[state];
      if (count !== undefined) sum.instances[state] = (sum.instances[state] ?? 0) + count;
    }
  }
  return sums;
}
