import { deploymentOf, isServed } from '@berth/gateway';
import { backoffMs, createLimiter, describeError, runInBackground } from '@berth/kit';
import type { Owner } from '@berth/runtime';
import { followServers } from '../../cluster/follow-servers.ts';
import { createRevisionStore } from '../revisions/revision-store.ts';
import type { RouteState } from '../store/deployment-store.ts';
import type { DeployContext } from './records/deploy-context.ts';

/** Options of {@link followRoutes}. */
export interface FollowRoutesOptions {
  /** Removes the runtime's data of an owner. */
  forgetOwner(owner: Owner): Promise<void>;
}

/** The context of {@link followRoutes}. */
type FollowContext = Pick<DeployContext, 'db' | 'clock' | 'logger' | 'cluster' | 'gateway' | 'targets' | 'routes'>;

/** The longest time until a revision that another server activated is served here, besides its start. */
const ROUTES_POLL_MS = 2_000;
/** Services whose route is changed at once. */
const MAX_CHANGES = 8;
/** Before a revision that could not be started here is tried again. The one before it serves meanwhile. */
const RETRY = { baseMs: 2_000, maxMs: 60_000 };

interface Serving extends RouteState {
  readonly account: string;
  /** Null: nothing serves. */
  readonly revision: string | null;
}

/** The route of a deployment without one. */
const GONE = { revision: null, generation: 0, stoppedAtMs: null };

/**
 * Keeps the routes of this server's gateway as the database has them, since other servers deploy, roll back and delete too, until the
 * returned function is called. A revision that has instances here is replaced as by a deploy: the new one is started, then the old one
 * drains. A start that fails here changes nothing elsewhere.
 */
export function followRoutes(context: FollowContext, { forgetOwner }: FollowRoutesOptions): () => Promise<void> {
  const { db, clock, logger, cluster, gateway, targets, routes } = context;
  const closing = new AbortController();
  const changes = createLimiter({ concurrency: MAX_CHANGES });
  const changing = new Map<string, Promise<void>>();
  const failures = new Map<string, { readonly revision: string; readonly count: number; readonly retryAtMs: number }>();
  /** Removed routes whose deployments are being deleted, and their accounts. */
  const leftOver = new Map<string, string>();
  /** Accounts of the deployments at the last look. */
  let known = new Map<string, string>();

  const rows = () =>
    db
      .selectFrom('deployments')
      .select(['name', 'account_id as account', 'status', 'current_revision as revision'])
      .select(['generation', 'stopped_at as stoppedAtMs'])
      .where('status', '!=', 'reserved');
  const toServing = ({ status, revision, ...row }: Serving & { readonly status: string }): Serving => ({
    ...row,
    revision: status === 'deleting' ? null : revision,
  });
  /** Whether the gateway has the route of the database. */
  const isCurrent = (name: string, { revision, generation }: Omit<Serving, 'account'>) => {
    const route = gateway.snapshot(name);
    return revision === null ? route === undefined : isServed(route, { revision, generation });
  };

  const isDue = (name: string, serving: Serving): boolean => {
    const { revision } = serving;
    if (isCurrent(name, serving) || changing.has(name)) return false;
    const failure = failures.get(name);
    return failure?.revision !== revision || failure.retryAtMs <= clock.monotonicMs();
  };

  const remove = async (name: string, account: string | undefined): Promise<void> => {
    // Its instances may drain for minutes.
    await gateway.remove(name, { isLazy: true });
    if (account) leftOver.set(name, account);
  };

  /** Removes the data of deployments whose deletion has ended, unless the name is in use again. */
  const forget = async (serving: ReadonlyMap<string, Serving>) => {
    for (const [name, account] of leftOver) {
      const found = serving.get(name);
      if (found?.revision === null && found.account === account) continue;
      leftOver.delete(name);
      if (found === undefined) await forgetOwner({ account, deployment: name });
    }
  };

  const change = (name: string) =>
    routes.run(name, async () => {
      // Read here, because a deploy of this server may have moved the route.
      const row = await rows().where('name', '=', name).executeTakeFirst();
      const serving = row ? toServing(row) : { ...GONE, account: known.get(name) };
      const { account, revision } = serving;
      if (isCurrent(name, serving) || closing.signal.aborted) return;
      if (revision === null) return runInBackground('remove a route', remove(name, account), logger);
      try {
        const record = await createRevisionStore(db).find(account as never, name, revision);
        if (!record?.artifact) return;
        const target = await targets.create(record, serving);
        if (!gateway.snapshot(name)) gateway.register(target);
        else await gateway.activate(target, { signal: closing.signal, isLazy: true });
        failures.delete(name);
        logger.info({ deployment: name, revision }, 'serving the revision that another server activated');
      } catch (error) {
        if (closing.signal.aborted) return;
        const count = failures.get(name)?.revision === revision ? (failures.get(name)?.count ?? 0) + 1 : 0;
        failures.set(name, { revision, count, retryAtMs: clock.monotonicMs() + backoffMs(count, RETRY) });
        logger.error({ deployment: name, revision, error: describeError(error) }, 'a revision cannot be served here');
      }
    });

  const look = async (): Promise<void> => {
    const serving = new Map((await rows().execute()).map((row) => [row.name, toServing(row)]));
    await forget(serving);
    // Of several gateways that share services, each tells the loads of its own ones only.
    for (const name of new Set([...known.keys(), ...[...gateway.loads()].map(({ deployment }) => deployment)])) {
      // Routes of tags and shares follow the deployment's own; see create-traffic.ts.
      if (serving.has(name) || deploymentOf(name) !== name || !gateway.snapshot(name)) continue;
      serving.set(name, { ...GONE, account: known.get(name) ?? '' });
    }
    for (const [name, wanted] of serving) {
      if (!isDue(name, wanted)) continue;
      const work = changes.run(() => change(name)).finally(() => changing.delete(name));
      changing.set(name, work);
      runInBackground('follow a route', work, logger);
    }
    known = new Map([...serving].map(([name, { account }]) => [name, account]));
  };

  const end = followServers({ cluster, clock, logger, channel: 'routes', pollMs: ROUTES_POLL_MS, look });
  return async () => {
    closing.abort();
    await end();
    await Promise.all(changing.values());
  };
}
