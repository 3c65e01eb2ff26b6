import type { ServiceLoad } from '../port/gateway.ts';
import type { InstanceState } from '../port/instance-state.ts';
import type { Service } from './service.ts';

/** Returns the load and instances of a service, over all revisions that still run. */
export function serviceLoad({ deployment, pools }: Service): ServiceLoad {
  const instances: Partial<Record<InstanceState, number>> = {};
  let inFlight = 0;
  let queued = 0;
  for (const pool of pools) {
    inFlight += pool.inFlight;
    queued += pool.queued;
    for (const { state } of pool.fleet.all) instances[state] = (instances[state] ?? 0) + 1;
  }
  return { deployment, inFlight, queued, instances };
}
