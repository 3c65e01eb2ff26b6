import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import { type DeployRecord, toDeployRecord } from './deploy-record.ts';

/** Another process drives the deploy now, or it has moved on: this one must stop and record nothing. */
export class LeaseLostError extends Error {
  constructor(deployId: string) {
    super(`the lease of ${deployId} is held by another process, or the deploy has moved on`);
    this.name = 'LeaseLostError';
  }
}

/** Which process drives which deploys. Deploys of all accounts: this is the platform's own view. */
export interface DeployLeases {
  /** Takes over the unfinished deploys that nobody drives, oldest first. */
  take(options: TakeOptions): Promise<DeployRecord[]>;
  /** Extends all that this process holds. */
  renew(): Promise<void>;
  /** Lets go of all that this process holds, so that the next one need not wait. */
  release(): Promise<void>;
  /** When a lease taken now runs out, wall time. */
  expiryMs(): number;
  readonly owner: string;
}

export interface TakeOptions {
  /** Also those whose lease has not run out: right when no other process can be alive. */
  readonly isForced: boolean;
  /** Those that this process drives already. */
  readonly except: readonly string[];
}

export interface DeployLeaseOptions {
  readonly db: Kysely<Database>;
  /** Unique for this run of this process. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly nowMs: () => number;
}

export function createDeployLeases({ db, owner, leaseMs, nowMs }: DeployLeaseOptions): DeployLeases {
  const expiryMs = () => nowMs() + leaseMs;
  return {
    owner,
    expiryMs,
    async take({ isForced, except }) {
      const taken = await db
        .updateTable('deploys')
        .set((eb) => ({
          lease_owner: owner,
          lease_expires_at: expiryMs(),
          // One that only waited is not what ended the process before.
          attempts: eb
            .case()
            .when('step', '=', 'queued')
            .then(eb.ref('attempts'))
            .else(eb('attempts', '+', 1))
            .end(),
        }))
        .where('ended_at', 'is', null)
        // Postgres refuses an empty list.
        .$if(except.length > 0, (query) => query.where('id', 'not in', [...except]))
        .where((eb) =>
          isForced
            ? eb.lit(true)
            : eb.or([
                eb('lease_owner', 'is', null),
                // Its own, and not driven: it could not record the end when the database failed.
                eb('lease_owner', '=', owner),
                eb('lease_expires_at', '<=', nowMs()),
              ]),
        )
        .returningAll()
        .execute();
      // Numbers, not times: the clock may have gone back between two deploys of a name.
      return taken.map(toDeployRecord).sort((a, b) => a.number - b.number);
    },
    async renew() {
      await db
        .updateTable('deploys')
        .set({ lease_expires_at: expiryMs() })
        .where('ended_at', 'is', null)
        .where('lease_owner', '=', owner)
        .execute();
    },
    async release() {
      await db
        .updateTable('deploys')
        // A process that ends in order does not count as an attempt.
        .set((eb) => ({ lease_owner: null, lease_expires_at: null, attempts: eb('attempts', '-', 1) }))
        .where('ended_at', 'is', null)
        .where('lease_owner', '=', owner)
        .execute();
    },
  };
}
