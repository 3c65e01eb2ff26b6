import { deploymentOf, type InstanceState, type ServiceLoad } from '@berth/gateway';
import { Gauge, type Registry } from 'prom-client';

/** States of instances that exist; stopped ones are not counted. */
const STATES = [
  'starting',
  'failed',
  'ready',
  'unready',
  'suspended',
  'resuming',
  'draining',
] as const satisfies readonly InstanceState[];

/** Creates gauges of current instances, requests and queues. */
export function createLoadGauges(registry: Registry) {
  const gauge = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const inFlight = gauge('berth_requests_in_flight', 'Requests in flight, including WebSockets', 'deployment');
  const queueLength = gauge('berth_queue_length', 'Queued requests', 'deployment');
  const instances = gauge('berth_instances', 'Instances of all revisions, by state', 'deployment', 'state');

  const busy = gauge('berth_instances_busy', 'Idle instances kept because they report background work', 'deployment');

  return {
    /** Replaces all values. Loads with the same label are summed. */
    set(loads: Iterable<ServiceLoad>, labelOf: (deployment: string) => string): void {
      for (const one of [inFlight, queueLength, instances, busy]) one.reset();
      for (const [deployment, sum] of sumByLabel(loads, labelOf)) {
        inFlight.set({ deployment }, sum.inFlight);
        queueLength.set({ deployment }, sum.queued);
        if (sum.busy > 0) busy.set({ deployment }, sum.busy);
        for (const state of STATES) {
          const count = sum.instances[state] ?? 0;
          // `ready` is always present, to tell none ready from none known; the other zeros would only add thousands of lines.
          if (count > 0 || state === 'ready') instances.set({ deployment, state }, count);
        }
      }
    },
  };
}

interface LoadSum {
  inFlight: number;
  queued: number;
  busy: number;
  readonly instances: Partial<Record<InstanceState, number>>;
}

/** Sums loads before setting gauges: thousands of deployments may share a label, and adding to a gauge is slow. */
function sumByLabel(loads: Iterable<ServiceLoad>, labelOf: (deployment: string) => string): Map<string, LoadSum> {
  const sums = new Map<string, LoadSum>();
  for (const load of loads) {
    const label = labelOf(deploymentOf(load.deployment));
    const sum: LoadSum = sums.get(label) ?? { inFlight: 0, queued: 0, busy: 0, instances: {} };
    sums.set(label, sum);
    sum.inFlight += load.inFlight;
    sum.queued += load.queued;
    sum.busy += load.busy;
    for (const state of STATES) {
      const count = load.instances[state];
      if (count !== undefined) sum.instances[state] = (sum.instances[state] ?? 0) + count;
    }
  }
  return sums;
}
