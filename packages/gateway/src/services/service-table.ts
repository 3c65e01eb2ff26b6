import { createError } from '@berth/contract/errors';
import type { InstanceId, Timer } from '@berth/kit';
import { closingRefusal, deletedRefusal } from '../admission/refusal.ts';
import { createHost, type Reclaimable } from '../instances/host.ts';
import type { InstanceContext } from '../instances/instance-context.ts';
import { deploymentOf, type GatewayControl, type RevisionTarget, routeOf, type StopReason } from '../port/gateway.ts';
import { activateRevision } from './activate-revision.ts';
import { holdInstance } from './hold-instance.ts';
import { createOneOffs } from './one-offs.ts';
import { type PoolContext, RevisionPool } from './revision-pool.ts';
import { runRelease } from './run-release.ts';
import { createInstanceSampler } from './sample-instances.ts';
import { listInstances, type Service, serviceLoad } from './service.ts';

/** The machine's capacity for instances. */
export interface HostBudget {
  readonly memoryBytes: number;
  /**
   * Total CPU of all instances, in thousandths of a core; unlimited when absent. May exceed the machine's CPU, because few instances are
   * busy at once.
   */
  readonly cpuMillis?: number;
  /** Maximum instances that start at the same time. More would only slow each other down. */
  readonly simultaneousStarts: number;
}

/** Options of {@link createServiceTable}. */
export interface ServiceTableOptions extends Omit<InstanceContext, 'host'>, Pick<PoolContext, 'holders'> {
  readonly budget: HostBudget;
}

/** The route table: all services of a gateway, by the names of their routes. */
export interface ServiceTable extends GatewayControl {
  find(deployment: string): Service | undefined;
  services(): Iterable<Service>;
  readonly isClosing: boolean;
  /** As `register`, with running instances of the revision that another process had. */
  take(target: RevisionTarget, survivors: readonly InstanceId[]): void;
  /** Leaves services to another process, which adopts their instances. Resolves when it may count their requests. */
  leave(isLeft: (deployment: string) => boolean): Promise<void>;
}

/** Creates an empty route table. */
export function createServiceTable({ budget, ...base }: ServiceTableOptions): ServiceTable {
  const { clock, policy } = base;
  const services = new Map<string, Service>();
  const removals = new Map<string, Promise<void>>();
  /** Pools with instances or queued requests. A tick visits only these, however many services there are. */
  const live = new Set<RevisionPool>();
  const sampler = createInstanceSampler(base, live);
  let tickTimer: Timer | null = null;
  let closed: Promise<void> | null = null;
  /** Set before routes are withdrawn, so that workers are told why. */
  let isClosing = false;

  const host = createHost({
    clock,
    memoryBytes: budget.memoryBytes,
    cpuMillis: budget.cpuMillis ?? Number.MAX_SAFE_INTEGER,
    simultaneousStarts: budget.simultaneousStarts,
    startSlotHoldMs: policy.startSlotHoldMs,
    reclaimable: (forDeployment) => reclaimable(live, forDeployment, clock.monotonicMs() - policy.reclaimAfterMs),
    findReclaimable: (forDeployment) => askIdle(live, forDeployment, clock.monotonicMs() - policy.reclaimAfterMs),
    onCapacityFreed: () => {
      // Pools with the fewest instances go first, so that larger pools do not take the capacity from them.
      for (const pool of [...live].sort((a, b) => a.fleet.size - b.fleet.size)) pool.onCapacityFreed();
    },
  });

  const tick = () => {
    tickTimer = null;
    for (const pool of live) if (!pool.tick()) live.delete(pool);
    if (live.size > 0) scheduleTick();
  };
  const scheduleTick = () => {
    tickTimer ??= clock.setTimer(policy.tickMs, tick);
  };

  const context: PoolContext = {
    ...base,
    host,
    onLive(pool) {
      live.add(pool);
      scheduleTick();
      sampler.wake();
    },
  };

  const oneOffs = createOneOffs(context);

  const ensureService = (deployment: string): Service => {
    let service = services.get(deployment);
    if (service === undefined) {
      service = { deployment, current: null, pools: new Set(), activations: new Set(), releases: new Set() };
      services.set(deployment, service);
    }
    return service;
  };

  /** Removes a service's route and ends its activations, instances and release commands. */
  const retireService = async (service: Service, reason: StopReason, withinMs: number) => {
    const deployment = deploymentOf(service.deployment);
    const refusal = reason === 'shutdown' ? closingRefusal() : deletedRefusal(deployment);
    const hadRoute = service.current !== null;
    const main = reason === 'replaced' ? services.get(deployment) : undefined;
    if (main?.current) service.current?.moveQueueTo(main.current, main);
    service.current?.refuseQueue(refusal);
    service.current = null;
    for (const activation of service.activations) activation.abort();
    if (hadRoute && context.holders !== undefined) await context.holders.onRoute(service);
    await Promise.all([
      ...[...service.pools].map((pool) => pool.retire(reason, withinMs)),
      ...[...service.releases].map((release) => release.catch(() => {})),
    ]);
  };

  /** Runs `work` for a service that may be new, and forgets the service if it has no revision afterwards. */
  const withService = async (deployment: string, work: (service: Service) => Promise<void>) => {
    if (isClosing) throw createError('cancelled', 'The platform is shutting down.');
    const service = ensureService(deployment);
    try {
      await work(service);
    } finally {
      const isUnused = service.current === null && service.activations.size === 0;
      if (isUnused && services.get(deployment) === service) services.delete(deployment);
    }
  };

  const routesOf = (deployment: string) =>
    [...services.values()].filter((service) => deploymentOf(service.deployment) === deployment);

  return {
    find: (deployment) => services.get(deployment),
    services: () => services.values(),
    get isClosing() {
      return isClosing;
    },
    register(target) {
      const service = ensureService(routeOf(target));
      if (service.current !== null || isClosing) return;
      const pool = new RevisionPool(context, target);
      service.pools.add(pool);
      service.current = pool;
      void context.holders?.onRoute(service);
      pool.onRoute();
    },
    take(target, survivors) {
      this.register(target);
      const pool = services.get(routeOf(target))?.current;
      if (!pool || pool.target.revision !== target.revision) return;
      for (const id of survivors) pool.start('adopted', undefined, id);
    },
    async leave(isLeft) {
      const moved: Promise<void>[] = [];
      for (const [deployment, service] of [...services]) {
        if (!isLeft(deployment)) continue;
        for (const activation of service.activations) activation.abort();
        for (const pool of service.pools) {
          moved.push(pool.leave());
          live.delete(pool);
        }
        service.current = null;
        services.delete(deployment);
      }
      await Promise.all(moved);
    },
    release: (target, options) =>
      withService(routeOf(target), (service) => runRelease(context, service, target, options)),
    activate: (target, options) =>
      withService(routeOf(target), (service) => activateRevision(context, service, target, options)),
    remove(deployment) {
      const service = services.get(deployment);
      const ending = oneOffs.end('deleted', deployment);
      if (service === undefined) return removals.get(deployment) ?? ending;
      services.delete(deployment);
      const isSide = deploymentOf(deployment) !== deployment;
      const withinMs = Math.min(service.current?.target.timeoutMs ?? 0, policy.drainMaxMs);
      const retired = isSide
        ? retireService(service, 'replaced', withinMs)
        : retireService(service, 'deleted', policy.removeDrainMs);
      const removal = Promise.all([retired, ending])
        .then(() => {})
        .finally(() => {
          if (removals.get(deployment) === removal) removals.delete(deployment);
        });
      removals.set(deployment, removal);
      return removal;
    },
    async startOneOff(target, options) {
      if (isClosing) throw createError('unavailable', 'The platform is shutting down.');
      return oneOffs.startOneOff(target, options);
    },
    async hold(deployment, options) {
      // An instance may be one of a revision beside the current one.
      const holder =
        options.instance === undefined
          ? undefined
          : routesOf(deployment).find((one) => hasInstance(one, options.instance));
      return holdInstance(holder ?? services.get(deployment), deployment, options);
    },
    snapshot(deployment) {
      const pool = services.get(deployment)?.current;
      if (!pool) return undefined;
      return {
        revision: pool.target.revision,
        ...(pool.target.generation ? { generation: pool.target.generation } : {}),
        instances: pool.fleet.serving,
        busy: pool.fleet.busy,
        inFlight: pool.inFlight,
        queued: pool.queued,
      };
    },
    *loads() {
      for (const service of services.values()) yield serviceLoad(service);
    },
    async instances(deployment) {
      const found = deployment === undefined ? [...services.values()] : routesOf(deployment);
      return found.flatMap((service) => listInstances(service, clock));
    },
    close({ drainMs = policy.closeDrainMs } = {}) {
      isClosing = true;
      closed ??= Promise.all([
        ...[...services.values()].map((service) => retireService(service, 'shutdown', drainMs)),
        ...removals.values(),
        oneOffs.end('shutdown'),
      ]).then(() => {
        tickTimer?.cancel();
        sampler.close();
      });
      return closed;
    },
  };
}

function hasInstance({ pools }: Service, id: string | undefined): boolean {
  return [...pools].some(({ fleet }) => [...fleet.all].some((instance) => instance.id === id));
}

/** Yields the instances of other deployments that have been idle since `beforeMs` or longer and have no work. */
function* reclaimable(pools: Iterable<RevisionPool>, forDeployment: string, beforeMs: number): Generator<Reclaimable> {
  for (const pool of pools) {
    if (pool.target.deployment === forDeployment) continue;
    for (const instance of pool.idle.spare) {
      if (instance.idleSinceMs > beforeMs) continue;
      const { deployment, memoryBytes, cpuMillis } = pool.target;
      yield {
        deployment,
        memoryBytes,
        cpuMillis,
        idleSinceMs: instance.idleSinceMs,
        stop: () => pool.reclaim(instance),
      };
    }
  }
}

/** Instances that are asked at once. On a full machine, most of those that are idle for longest have no work. */
const ASKED_AT_ONCE = 16;

/**
 * Asks instances of other deployments that have been idle since `beforeMs` or longer whether they have work, longest idle first. Returns
 * false when none is left to ask.
 */
async function askIdle(pools: Iterable<RevisionPool>, forDeployment: string, beforeMs: number): Promise<boolean> {
  const others = [...pools].filter((pool) => pool.target.deployment !== forDeployment);
  const unasked = others.flatMap((pool) => pool.idle.unasked.map((instance) => ({ pool, instance })));
  const asked = unasked
    .filter(({ instance }) => instance.idleSinceMs <= beforeMs)
    .sort((a, b) => a.instance.idleSinceMs - b.instance.idleSinceMs)
    .slice(0, ASKED_AT_ONCE);
  await Promise.all(asked.map(({ pool, instance }) => pool.idle.ask(instance)));
  return asked.length > 0;
}
