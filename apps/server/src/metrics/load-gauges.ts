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
      for (const load of loads) {
        const deployment = labelOf(load.deployment);
        inFlight.inc({ deployment }, load.inFlight);
        queueLength.inc({ deployment }, load.queued);
        for (const state of STATES) instances.inc({ deployment, state }, load.instances[state] ?? 0);
      }
    },
  };
}
