import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
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
  /** Unique for each start of a process. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly nowMs: () => number;
}

/** Leases that decide which process drives which deploys, for all accounts. */
export type DeployLeases = ReturnType<typeof createDeployLeases>;

export function createDeployLeases({ db, owner, leaseMs, nowMs }: DeployLeaseOptions) {
  const expiryMs = () => nowMs() + leaseMs;
  return {
    owner,
    /** When a lease taken now expires, wall time. */
    expiryMs,
    /** Takes over unfinished deploys that no process drives, oldest first. */
    async take({ isForced, except }: TakeOptions): Promise<DeployRecord[]> {
      const taken = await db
        .updateTable('deploys')
        .set((eb) => ({
          lease_owner: owner,
          lease_expires_at: expiryMs(),
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
                eb('lease_expires_at', '<=', nowMs()),
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
        .set({ lease_expires_at: expiryMs() })
        .where('ended_at', 'is', null)
        .where('lease_owner', '=', owner)
        .execute();
    },
    /** Releases all leases of this process, so that the next one need not wait. */
    async release(): Promise<void> {
      await db
        .updateTable('deploys')
        // An orderly stop does not count as an attempt.
        .set((eb) => ({ lease_owner: null, lease_expires_at: null, attempts: eb('attempts', '-', 1) }))
        .where('ended_at', 'is', null)
        .where('lease_owner', '=', owner)
        .execute();
    },
  };
}
