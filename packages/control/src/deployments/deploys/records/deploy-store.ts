import type { AuditActor } from '@berth/accounts';
import type { StoredArchive } from '@berth/builder';
import {
  createError,
  type DeployCommit,
  type DeployErrorCode,
  type DeployKind,
  type DeploySettings,
  type DeployStep,
  type DeployTraffic,
  type SettingsChanges,
} from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId, DeployId } from '@berth/kit';
import type { Expression, Kysely } from 'kysely';
import { LeaseLostError } from './deploy-lease.ts';
import { type DeployRecord, toDeployRecord } from './deploy-record.ts';
import { isEnded, stepsBefore } from './deploy-step.ts';

/** A deploy to be recorded. */
export interface NewDeploy {
  readonly id: DeployId;
  readonly accountId: AccountId;
  readonly deployment: string;
  readonly kind: DeployKind;
  readonly actor: AuditActor;
  /** Only for a `deploy`. */
  readonly settings?: DeploySettings;
  /** Only for a `deploy`. */
  readonly archive?: StoredArchive;
  /** The commit of the archive. */
  readonly commit?: DeployCommit;
  /** Only for a `rollback`. */
  readonly targetRevision?: string;
  /** Only for a `redeploy`. */
  readonly changes?: SettingsChanges;
  /** Only for a `deploy`. */
  readonly traffic?: DeployTraffic;
  /** Null for a deploy that any server takes up. */
  readonly leaseOwner: string | null;
  /** By the clock of leases. */
  readonly leaseExpiresAt: Expression<number> | null;
}

/** The changes recorded with a step. */
export interface DeployMove {
  readonly step: DeployStep;
  readonly revision?: string;
  readonly code?: DeployErrorCode;
}

/** Deploys in the database. When created with a transaction, every call is part of it. */
export function createDeployStore(db: Kysely<Database>) {
  const of = (account: AccountId, deployment: string) =>
    db.selectFrom('deploys').where('account_id', '=', account).where('deployment', '=', deployment);
  const touch = async (
    deploy: DeployRecord,
    leaseOwner: string,
    changes: { readonly updated_at: number; readonly released_at?: number },
  ): Promise<void> => {
    const row = await db
      .updateTable('deploys')
      .set(changes)
      .where('account_id', '=', deploy.accountId)
      .where('id', '=', deploy.id)
      .where('lease_owner', '=', leaseOwner)
      .where('lease_epoch', '=', deploy.leaseEpoch)
      .returning('id')
      .executeTakeFirst();
    if (!row) throw new LeaseLostError(deploy.id);
  };
  return {
    /** Records a deploy as queued behind the other deploys of its name. */
    async insert(deploy: NewDeploy, nowMs: number): Promise<DeployRecord> {
      const last = await of(deploy.accountId, deploy.deployment)
        .select((eb) => eb.fn.max('number').as('number'))
        .executeTakeFirst();
      const row = await db
        .insertInto('deploys')
        .values({
          id: deploy.id,
          account_id: deploy.accountId,
          deployment: deploy.deployment,
          number: (last?.number ?? 0) + 1,
          kind: deploy.kind,
          step: 'queued',
          actor_kind: deploy.actor.kind,
          actor_id: deploy.actor.id,
          settings: deploy.settings ? JSON.stringify(deploy.settings) : null,
          archive: deploy.archive ? JSON.stringify(deploy.archive) : null,
          source_commit: deploy.commit ? JSON.stringify(deploy.commit) : null,
          target_revision: deploy.targetRevision ?? null,
          changes: deploy.changes ? JSON.stringify(deploy.changes) : null,
          traffic: deploy.traffic ? JSON.stringify(deploy.traffic) : null,
          revision: null,
          lease_owner: deploy.leaseOwner,
          lease_expires_at: deploy.leaseExpiresAt,
          lease_epoch: 1,
          attempts: deploy.leaseOwner === null ? 0 : 1,
          is_cancel_requested: 0,
          released_at: null,
          code: null,
          last_seq: 0,
          created_at: nowMs,
          updated_at: nowMs,
          ended_at: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toDeployRecord(row);
    },
    /** @throws `forbidden` when another account owns it, `not_found` when there is none. */
    async get(account: AccountId, id: string): Promise<DeployRecord> {
      const row = await db.selectFrom('deploys').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) throw createError('not_found', `No deploy has the ID ${JSON.stringify(id.slice(0, 64))}.`);
      if (row.account_id !== account) throw createError('forbidden', 'The deploy belongs to another account.');
      return toDeployRecord(row);
    },
    /** Unfinished deploys of a name, oldest first. */
    async listUnfinished(account: AccountId, deployment: string): Promise<DeployRecord[]> {
      const rows = await of(account, deployment).selectAll().where('ended_at', 'is', null).orderBy('number').execute();
      return rows.map(toDeployRecord);
    },
    /** Unfinished deploys of the same name that were accepted before `deploy`, oldest first. */
    async listAhead({ accountId, deployment, number }: DeployRecord): Promise<DeployId[]> {
      const rows = await of(accountId, deployment)
        .select('id')
        .where('ended_at', 'is', null)
        .where('number', '<', number)
        .orderBy('number')
        .execute();
      return rows.map(({ id }) => id as DeployId);
    },
    /** Target revisions of unfinished rollbacks of a name. */
    async listTargets(account: AccountId, deployment: string): Promise<string[]> {
      const rows = await of(account, deployment).select('target_revision').where('ended_at', 'is', null).execute();
      return rows.flatMap(({ target_revision }) => target_revision ?? []);
    },
    /** The number of an account's unfinished deploys. */
    async countUnfinished(account: AccountId): Promise<number> {
      const { count } = await db
        .selectFrom('deploys')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('ended_at', 'is', null)
        .where('account_id', '=', account)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /**
     * Records a step. A final step releases the archive and the lease.
     * @throws LeaseLostError when another process drives the deploy, or it is past that step.
     */
    async move(
      deploy: DeployRecord,
      leaseOwner: string,
      { step, revision, code }: DeployMove,
      nowMs: number,
    ): Promise<DeployRecord> {
      const row = await db
        .updateTable('deploys')
        .set({
          step,
          updated_at: nowMs,
          ...(revision === undefined ? {} : { revision }),
          ...(code === undefined ? {} : { code }),
          ...(isEnded(step) ? { archive: null, lease_owner: null, lease_expires_at: null, ended_at: nowMs } : {}),
        })
        .where('account_id', '=', deploy.accountId)
        .where('id', '=', deploy.id)
        .where('lease_owner', '=', leaseOwner)
        .where('lease_epoch', '=', deploy.leaseEpoch)
        .where('step', 'in', stepsBefore(step))
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new LeaseLostError(deploy.id);
      return toDeployRecord(row);
    },
    /**
     * Records that the release command succeeded.
     * @throws LeaseLostError when another process drives the deploy.
     */
    noteRelease: (deploy: DeployRecord, leaseOwner: string, nowMs: number): Promise<void> =>
      touch(deploy, leaseOwner, { released_at: nowMs, updated_at: nowMs }),
    /**
     * Makes a transaction part of a deploy's work.
     * @throws LeaseLostError when another process drives the deploy.
     */
    require: (deploy: DeployRecord, leaseOwner: string, nowMs: number): Promise<void> =>
      touch(deploy, leaseOwner, { updated_at: nowMs }),
    /** Requests cancellation. Returns false when the deploy has ended already. */
    async requestCancel(account: AccountId, id: DeployId, nowMs: number): Promise<boolean> {
      const row = await db
        .updateTable('deploys')
        .set({ is_cancel_requested: 1, updated_at: nowMs })
        .where('account_id', '=', account)
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Deletes ended deploys of a name, with their events, except the newest `keep`. */
    async prune(account: AccountId, deployment: string, keep: number): Promise<void> {
      const oldest = await of(account, deployment)
        .select('number')
        .orderBy('number', 'desc')
        .limit(1)
        .offset(keep)
        .executeTakeFirst();
      if (!oldest) return;
      await db
        .deleteFrom('deploys')
        .where('account_id', '=', account)
        .where('deployment', '=', deployment)
        .where('number', '<=', oldest.number)
        .where('ended_at', 'is not', null)
        .execute();
    },
  };
}

/** Deletes deploys that ended before `beforeMs` (wall time), of all accounts, deleted deployments included. */
export async function deleteOldDeploys(db: Kysely<Database>, beforeMs: number): Promise<void> {
  await db.deleteFrom('deploys').where('ended_at', '<', beforeMs).execute();
}
