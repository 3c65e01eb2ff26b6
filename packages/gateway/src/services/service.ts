import type { Clock } from '@berth/kit';
import type { InstanceReport, InstanceState, ServiceLoad } from '../port/gateway.ts';
import type { RevisionPool } from './revision-pool.ts';

/** A route: the revision that has it, and everything else that still runs of those before it. */
export interface Service {
  /** Name of the route; see `deploymentOf`. */
  readonly deployment: string;
  /** Where requests go; null before the first revision is there, and after removal. The route is this one field. */
  current: RevisionPool | null;
  /** Every pool that may have instances: the current one, those being brought up, those being drained. */
  readonly pools: Set<RevisionPool>;
  /** The activations under way; aborting one ends it. */
  readonly activations: Set<AbortController>;
  /** The release commands under way; each settles when nothing of it runs any more. */
  readonly releases: Set<Promise<void>>;
}

/** Returns the load and instances of a service, over all revisions that still run. */
export function serviceLoad({ deployment, pools }: Service): ServiceLoad {
  const instances: Partial<Record<InstanceState, number>> = {};
  let inFlight = 0;
  let queued = 0;
  let busy = 0;
  for (const pool of pools) {
    inFlight += pool.inFlight;
    queued += pool.queued;
    busy += pool.fleet.busy;
    for (const { state } of pool.fleet.all) instances[state] = (instances[state] ?? 0) + 1;
  }
  return { deployment, inFlight, queued, busy, instances };
}

/** Returns the instances of a service that have not ended, newest revision first. */
export function listInstances({ pools }: Service, clock: Pick<Clock, 'nowMs' | 'monotonicMs'>): InstanceReport[] {
  const bootMs = clock.nowMs() - clock.monotonicMs();
  return [...pools].toReversed().flatMap(({ target: { account, deployment, revision }, fleet }) =>
    [...fleet.all].flatMap(({ id, state, requestedAtMs, inFlight, isBusy, measured }) => {
      if (state === 'failed' || state === 'gone') return [];
      const startedAtMs = Math.round(bootMs + requestedAtMs);
      const cpuMillis = state === 'suspended' ? null : (measured?.cpuMillis ?? null);
      const usage = { cpuMillis, memoryBytes: measured?.memoryBytes ?? null };
      return [{ ...{ account, deployment, revision, instance: id, state, startedAtMs, inFlight, isBusy }, ...usage }];
    }),
  );
}
