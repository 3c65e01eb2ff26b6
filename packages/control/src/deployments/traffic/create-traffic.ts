import { tagLabel } from '@berth/contract';
import { deploymentOf, type GatewayControl, isServed, sideRoute, type TrafficRule } from '@berth/gateway';
import { describeError, runInBackground } from '@berth/kit';
import { type Cluster, POLL_MS } from '../../cluster/cluster.ts';
import { followServers } from '../../cluster/follow-servers.ts';
import type { ControlContext } from '../../context/control-context.ts';
import { createRevisionStore } from '../revisions/revision-store.ts';
import type { RevisionTargets } from '../revisions/revision-targets.ts';
import type { RouteLocks } from '../revisions/route-locks.ts';
import { listTraffic, type TrafficState } from './traffic-store.ts';

/** Options of {@link createTraffic}. */
export interface TrafficOptions extends Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  readonly gateway: GatewayControl;
  readonly targets: RevisionTargets;
  readonly routes: RouteLocks;
  readonly cluster: Cluster;
  /** Gives the rules to all processes that serve requests; resolves when they have them. Nothing by default. */
  readonly onTraffic?: ((rules: readonly TrafficRule[]) => void | Promise<void>) | undefined;
}

/** Before a revision that couldn't be served here is tried again. The current revision serves its share meanwhile. */
const RETRY_MS = 30_000;

/**
 * Serves splits and tags as the database has them.
 *
 * T1: a revision with a tag or a share that isn't the current one has a route of its own; the current revision never has.
 * T2: a rule names a route only after the gateway has it, and a route is removed only after no rule names it.
 */
export type Traffic = ReturnType<typeof createTraffic>;

export function createTraffic(options: TrafficOptions) {
  const { db, clock, logger, gateway, targets, routes, cluster, onTraffic = () => {} } = options;
  const rules = new Map<string, TrafficRule>();
  /** Names of the routes beside the current ones, by deployment. */
  const sides = new Map<string, Set<string>>();
  /** The states that are served, as text, by deployment. */
  const applied = new Map<string, string>();
  const retryAt = new Map<string, number>();
  const closing = new AbortController();
  let isStarted = false;

  const publish = async () => onTraffic([...rules.values()]);

  /** Gives the gateway the route of a revision. Returns whether the gateway has it; never throws. */
  const serve = async (state: TrafficState, revision: string): Promise<boolean> => {
    const { account, deployment, generation } = state;
    const route = sideRoute(deployment, revision);
    if (isServed(gateway.snapshot(route), { revision, generation })) return true;
    try {
      const record = await createRevisionStore(db).find(account, deployment, revision);
      if (!record?.artifact) throw new Error(`${revision} has no build`);
      const target = await targets.createBeside(record, state);
      // At the start, running instances are adopted. Later, all processes have the route when this resolves.
      if (isStarted) await gateway.activate(target, { signal: closing.signal, isLazy: true });
      else gateway.register(target);
      return true;
    } catch (error) {
      if (!closing.signal.aborted) {
        logger.error(
          { deployment, revision, error: describeError(error) },
          'a revision with a tag or a share is not served',
        );
      }
      return false;
    }
  };

  const applyState = async (name: string, given: TrafficState | undefined): Promise<void> => {
    const state = given && given.shares.size + given.tags.size > 0 ? given : undefined;
    const revisions = new Set(state ? [...state.shares.keys(), ...state.tags.values()] : []);
    revisions.delete(state?.currentRevision ?? '');
    const served = new Map<string, string>();
    for (const revision of revisions) {
      if (state && (await serve(state, revision))) served.set(revision, sideRoute(name, revision));
    }
    const before = sides.get(name) ?? new Set();
    const wanted = new Set(served.values());
    const rule = state && toRule(state, served);
    if (JSON.stringify(rules.get(name)) !== JSON.stringify(rule)) {
      if (rule) rules.set(name, rule);
      else rules.delete(name);
      await publish();
    }
    if (wanted.size > 0) sides.set(name, wanted);
    else sides.delete(name);
    for (const route of before) {
      // Of several gateways, the one that has the route removes it when it learns of this.
      if (!wanted.has(route)) runInBackground('remove a route', gateway.remove(route, { isLazy: true }), logger);
    }
    if (served.size < revisions.size) retryAt.set(name, clock.monotonicMs() + RETRY_MS);
    else retryAt.delete(name);
    if (state) applied.set(name, describe(state));
    else applied.delete(name);
  };

  const apply = async (name: string): Promise<void> => {
    const [state] = await listTraffic(db, name);
    await applyState(name, state);
  };

  const look = async (): Promise<void> => {
    const states = new Map((await listTraffic(db)).map((state) => [state.deployment, state]));
    for (const name of new Set([...states.keys(), ...rules.keys(), ...sides.keys()])) {
      const state = states.get(name);
      const isDue = (retryAt.get(name) ?? Number.POSITIVE_INFINITY) <= clock.monotonicMs();
      if (applied.get(name) === (state && describe(state)) && !isDue) continue;
      await routes.run(name, () => apply(name));
    }
  };

  return {
    /** Serves the split and the tags of a deployment as the database has them. Call it with the lock of its route. */
    apply,
    /**
     * Serves a state that is about to be recorded, so that no one hears of it before it is served. Call {@link apply} afterwards if it
     * couldn't be recorded.
     */
    applyAhead: (state: TrafficState): Promise<void> => applyState(state.deployment, state),
    /** Returns the names of a deployment's routes besides its own. */
    besidesOf: (name: string): Iterable<string> => sides.get(name) ?? [],
    /** Notes a route that a deploy is about to give to a revision. The next {@link apply} removes it unless it has a tag or a share. */
    note: (route: string) => noteSide(sides, route),
    /** Removes all routes of a deployment besides its own, and waits for their ends. */
    async remove(name: string): Promise<void> {
      const own = [...(sides.get(name) ?? [])];
      rules.delete(name);
      sides.delete(name);
      applied.delete(name);
      await publish();
      await Promise.all(own.map((route) => gateway.remove(route)));
    },
    /** Serves all splits and tags, and follows the changes by other servers until the returned function is called. */
    async start(): Promise<() => Promise<void>> {
      // A gateway that outlived its control plane has the routes of that time.
      for (const { deployment: route } of gateway.loads()) noteSide(sides, route);
      const states = new Map((await listTraffic(db)).map((state) => [state.deployment, state]));
      for (const name of new Set([...states.keys(), ...sides.keys()])) await applyState(name, states.get(name));
      await publish();
      isStarted = true;
      const end = followServers({ cluster, clock, logger, channel: 'routes', pollMs: 2 * POLL_MS, look });
      return async () => {
        closing.abort();
        await end();
      };
    },
  };
}

function noteSide(sides: Map<string, Set<string>>, route: string): void {
  const deployment = deploymentOf(route);
  if (deployment === route) return;
  const own = sides.get(deployment) ?? new Set();
  sides.set(deployment, own.add(route));
}

/** Returns the rule of a deployment. Shares and tags of routes that aren't served are left out: the current revision gets the requests. */
function toRule(state: TrafficState, served: ReadonlyMap<string, string>): TrafficRule {
  const { deployment, currentRevision: current, shares, tags } = state;
  const routeTo = (revision: string) => (revision === current ? deployment : served.get(revision));
  const others = [...shares].flatMap(([revision, percent]) => {
    const route = served.get(revision);
    return route === undefined ? [] : [{ route, revision, percent }];
  });
  const rest = 100 - others.reduce((sum, { percent }) => sum + percent, 0);
  return {
    deployment,
    split: others.length === 0 ? [] : [{ route: deployment, revision: current, percent: rest }, ...others],
    tags: Object.fromEntries(
      [...tags].flatMap(([tag, revision]) => {
        const route = routeTo(revision);
        return route === undefined ? [] : [[tagLabel(tag, deployment), route] as const];
      }),
    ),
  };
}

function describe({ shares, tags, ...state }: TrafficState): string {
  return JSON.stringify([state, [...shares], [...tags]]);
}
