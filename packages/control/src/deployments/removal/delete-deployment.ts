import type { AccountSource, AuditLog } from '@berth/accounts';
import { type AccountId, createSingleFlight, describeError } from '@berth/kit';
import type { Owner } from '@berth/runtime';
import { POLL_MS } from '../../cluster/cluster.ts';
import type { HeldLease, Leases } from '../../cluster/leases.ts';
import { createScheduleStore } from '../../schedules/schedule-store.ts';
import { type DeployRunner, deletedMessage } from '../deploys/deploy-runner.ts';
import type { DeployContext } from '../deploys/records/deploy-context.ts';
import { createDeployStore } from '../deploys/records/deploy-store.ts';
import { createRevisionStore } from '../revisions/revision-store.ts';
import { createDeploymentStore, listDeleting } from '../store/deployment-store.ts';

export interface DeploymentDeletionOptions
  extends Pick<DeployContext, 'db' | 'clock' | 'logger' | 'gateway' | 'builder' | 'cluster' | 'routes' | 'traffic'> {
  /** Database for the background part of a deletion, which may wait during an outage. */
  readonly patientDb: DeployContext['db'];
  readonly leases: Leases;
  /** Aborts when this server stops: another one goes on with its deletions. */
  readonly closing: AbortSignal;
  readonly runner: DeployRunner;
  readonly audit: Pick<AuditLog, 'record'>;
  /** Removes the runtime's data of an owner. */
  forgetOwner(owner: Owner): Promise<void>;
  /** Removes other routes to a deployment, such as its domains, before its name is free again. */
  forgetRoutes?(account: AccountId, deployment: string): Promise<void>;
}

/** How long a request waits for a deletion; most instances are idle and stop at once. */
const WAIT_MS = 20_000;

/** Deletes deployments. */
export type DeploymentDeletion = ReturnType<typeof createDeploymentDeletion>;

export function createDeploymentDeletion(options: DeploymentDeletionOptions) {
  const { db, patientDb, clock, logger, gateway, builder, cluster, routes, traffic } = options;
  const { leases, closing, runner, audit } = options;
  const finishing = new Map<string, Promise<void>>();
  const flights = createSingleFlight<void>();

  /** Logs a failing part and continues: a name that can't be freed would be worse than a leftover. */
  const attempt = async (name: string, part: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      logger.error({ deployment: name, part, error: describeError(error) }, 'part of a deletion failed');
    }
  };

  const isDeleting = async (account: AccountId, name: string) =>
    (await createDeploymentStore(patientDb).find(account, name))?.status === 'deleting';

  const remove = async (account: AccountId, name: string, lease: HeldLease): Promise<void> => {
    await runner.settled(account, name, lease.signal);
    // Another server may have finished before this one got the lease, and the name may be in use again.
    if (!cluster.isAlone && !(await isDeleting(account, name))) return;
    await attempt(name, 'domains', async () => options.forgetRoutes?.(account, name));
    await attempt(name, 'traffic', () => routes.run(name, () => traffic.remove(name)));
    await attempt(name, 'route', () => routes.run(name, () => gateway.remove(name)));
    const revisions = await createRevisionStore(patientDb).list(account, name);
    for (const { artifact } of revisions) {
      lease.signal.throwIfAborted();
      if (artifact) await attempt(name, 'artifact', () => builder.remove(artifact));
    }
    await lease.require(patientDb);
    await attempt(name, 'owner', () => options.forgetOwner({ account, deployment: name }));
    await patientDb.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      await createDeploymentStore(transaction).delete(account, name);
      await cluster.publish('routes', name, transaction);
    });
  };

  const finish = (account: AccountId, name: string): Promise<void> => {
    const work = flights.run(name, async () => {
      // Another server may be at it. If that one ends before the deletion does, this one goes on with it.
      while (!(await leases.run(`deletion of ${name}`, (lease) => remove(account, name, lease)))) {
        await clock.sleep(POLL_MS, closing);
        if (!(await isDeleting(account, name))) return;
      }
    });
    const tracked = work.finally(() => finishing.delete(name));
    finishing.set(name, tracked);
    return tracked;
  };

  const waitFor = async (work: Promise<void>): Promise<'ended' | 'waiting'> => {
    const alarm = new AbortController();
    const patience = clock.sleep(WAIT_MS, alarm.signal).then(
      () => 'waiting' as const,
      () => 'ended' as const,
    );
    try {
      return await Promise.race([work.then(() => 'ended' as const), patience]);
    } finally {
      alarm.abort();
    }
  };

  return {
    /**
     * Ends the deploys of a name, removes its route, drains and stops its instances, and deletes it. Volumes, logs and
     * billing rows stay. `deleting`: the deletion continues in the background.
     * @throws `not_found`, `forbidden`
     */
    async delete(account: AccountId, name: string, source: AccountSource): Promise<'deleted' | 'deleting'> {
      const cancelled = await db.transaction().execute(async (transaction) => {
        const deployments = createDeploymentStore(transaction);
        const deploys = createDeployStore(transaction);
        const nowMs = clock.nowMs();
        await deployments.get(account, name);
        await deployments.update(account, name, { status: 'deleting', updatedAtMs: nowMs });
        await createScheduleStore(transaction).declare(account, name, null, nowMs);
        const unfinished = await deploys.listUnfinished(account, name);
        for (const { id } of unfinished) {
          await deploys.requestCancel(account, id, nowMs);
          await cluster.publish('deploys', id, transaction);
        }
        await cluster.publish('routes', name, transaction);
        await audit.record({ ...source, action: 'deployment.delete', target: name }, transaction);
        return unfinished;
      });
      for (const { id } of cancelled) runner.cancel(id, deletedMessage(name));
      const work = finish(account, name);
      work.catch((error: unknown) =>
        logger.error({ deployment: name, error: describeError(error) }, 'a deletion could not be recorded'),
      );
      return (await waitFor(work)) === 'ended' ? 'deleted' : 'deleting';
    },
    /** Resolves when a running deletion of the name has ended, or after a bounded wait. */
    async ended(account: AccountId, name: string): Promise<void> {
      const isElsewhere = !cluster.isAlone && !finishing.has(name) && (await isDeleting(account, name));
      const work = isElsewhere ? finish(account, name) : finishing.get(name);
      if (work) await waitFor(work.catch(() => {}));
    },
    /** Resumes unfinished deletions, those of servers that ended included. */
    async resume(): Promise<void> {
      for (const { accountId, name } of await listDeleting(patientDb)) {
        await attempt(name, 'all', () => finish(accountId, name));
      }
    },
  };
}

/** The result of a deletion. */
export function deletionDetail(name: string, outcome: 'deleted' | 'deleting'): string {
  return outcome === 'deleted'
    ? `"${name}" is deleted. Its volumes and logs are kept.`
    : `"${name}" is being deleted; its last requests are still running. Its volumes and logs are kept.`;
}
