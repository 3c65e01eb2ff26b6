import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import { type Cluster, leaseTime } from '../../../cluster/cluster.ts';
import { type DeployRecord, toDeployRecord } from './deploy-record.ts';

/** Thrown when another process drives the deploy, or it has moved on: this process must stop and record nothing. */
export class LeaseLostError extends Error {
  constructor(deployId: string) {
    super(`the lease of ${deployId} is held by another process, or the deploy has moved on`);
    this.name = 'LeaseLostError';
  }
}

export interface TakeOptions {
  /** Also takes deploys whose lease has not expired; right only when no other process can be alive. */
  readonly isForced: boolean;
  /** The deploys that this process drives already. */
  readonly except: readonly string[];
}

export interface DeployLeaseOptions {
  readonly db: Kysely<Database>;
  readonly cluster: Pick<Cluster, 'owner' | 'nowMs' | 'publish'>;
  readonly leaseMs: number;
}

/** A lease of this process on a deploy. */
export interface DeployLease {
  readonly id: string;
  readonly epoch: number;
  readonly isCancelRequested: boolean;
  /** Its deployment is being deleted. */
  readonly isDeleting: boolean;
}

/** Leases that decide which process drives which deploys, for all accounts. */
export type DeployLeases = ReturnType<typeof createDeployLeases>;

export function createDeployLeases({ db, cluster, leaseMs }: DeployLeaseOptions) {
  const { owner } = cluster;
  const expiry = () => leaseTime(cluster, leaseMs);
  return {
    owner,
    /** When a lease taken now expires. */
    expiry,
    /** Takes over unfinished deploys that no process drives, oldest first. */
    async take({ isForced, except }: TakeOptions): Promise<DeployRecord[]> {
      const taken = await db
        .updateTable('deploys')
        .set((eb) => ({
          lease_owner: owner,
          lease_expires_at: expiry(),
          lease_epoch: eb('lease_epoch', '+', 1),
          // A deploy that was only queued can't have crashed the process, so it counts no attempt.
          attempts: eb
            .case()
            .when('step', '=', 'queued')
            .then(eb.ref('attempts'))
            .else(eb('attempts', '+', 1))
            .end(),
        }))
        .where('ended_at', 'is', null)
        // Postgres rejects an empty list.
        .$if(except.length > 0, (query) => query.where('id', 'not in', [...except]))
        .where((eb) =>
          isForced
            ? eb.lit(true)
            : eb.or([
                eb('lease_owner', 'is', null),
                // A lease of this process without a run: its end could not be recorded when the database failed.
                eb('lease_owner', '=', owner),
                eb('lease_expires_at', '<=', cluster.nowMs()),
              ]),
        )
        .returningAll()
        .execute();
      // Ordered by number, because the clock may have gone back between two deploys of a name.
      return taken.map(toDeployRecord).sort((a, b) => a.number - b.number);
    },
    /** Extends all leases of this process. */
    async renew(): Promise<void> {
      await db
        .updateTable('deploys')
        .set({ lease_expires_at: expiry() })
        .where('ended_at', 'is', null)
        .where('lease_owner', '=', owner)
        .execute();
    },
    /** Returns the leases that this process holds. */
    async list(): Promise<DeployLease[]> {
      const rows = await db
        .selectFrom('deploys')
        .leftJoin('deployments', (join) =>
          join
            .onRef('deployments.name', '=', 'deploys.deployment')
            .onRef('deployments.account_id', '=', 'deploys.account_id'),
        )
        .select(['deploys.id', 'deploys.lease_epoch', 'deploys.is_cancel_requested', 'deployments.status'])
        .where('deploys.ended_at', 'is', null)
        .where('deploys.lease_owner', '=', owner)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        epoch: row.lease_epoch,
        isCancelRequested: row.is_cancel_requested === 1,
        isDeleting: row.status === 'deleting',
      }));
    },
    /** Releases all leases of this process, so that the next one need not wait. */
    async release(): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('deploys')
          // An orderly stop does not count as an attempt.
          .set((eb) => ({ lease_owner: null, lease_expires_at: null, attempts: eb('attempts', '-', 1) }))
          .where('ended_at', 'is', null)
          .where('lease_owner', '=', owner)
          .execute();
        await cluster.publish('deploys', '', transaction);
      });
    },
  };
}
