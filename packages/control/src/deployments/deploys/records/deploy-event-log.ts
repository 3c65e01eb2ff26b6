import type { DeployEvent, DeployStep } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId, DeployId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { DeployRecord } from './deploy-record.ts';
import { statusOf } from './deploy-step.ts';

/** The fields of an event besides status, time and number, which the log adds. */
export type DeployMessage = Pick<DeployEvent, 'message' | 'log' | 'url' | 'revision' | 'code' | 'logs'>;

/** The events of deploys. When created with a transaction, every call is part of it. */
export function createDeployEventLog(db: Kysely<Database>) {
  return {
    /**
     * Appends events with the status of `step` if the deploy is in that step. Otherwise they are late and dropped, so
     * that the order of statuses can't be broken.
     * @param holder only if it holds the deploy's lease.
     */
    async append(
      { id, accountId, leaseEpoch }: Pick<DeployRecord, 'id' | 'accountId' | 'leaseEpoch'>,
      step: DeployStep,
      messages: readonly DeployMessage[],
      nowMs: number,
      holder?: string,
    ): Promise<void> {
      if (messages.length === 0) return;
      const row = await db
        .updateTable('deploys')
        .set((eb) => ({ last_seq: eb('last_seq', '+', messages.length) }))
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('step', '=', step)
        .$if(holder !== undefined, (query) =>
          query.where('lease_owner', '=', holder ?? '').where('lease_epoch', '=', leaseEpoch),
        )
        .returning('last_seq')
        .executeTakeFirst();
      if (!row) return;
      const firstSeq = row.last_seq - messages.length + 1;
      await db
        .insertInto('deploy_events')
        .values(
          messages.map((message, index) => ({
            deploy_id: id,
            account_id: accountId,
            seq: firstSeq + index,
            body: JSON.stringify({ status: statusOf(step), ...message }),
            created_at: nowMs,
          })),
        )
        .execute();
    },
    /** Events after `after`, in order, at most `limit`. */
    async read(account: AccountId, id: DeployId, after: number, limit: number): Promise<DeployEvent[]> {
      const rows = await db
        .selectFrom('deploy_events')
        .select(['seq', 'body', 'created_at'])
        .where('account_id', '=', account)
        .where('deploy_id', '=', id)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        ...(JSON.parse(row.body) as Pick<DeployEvent, 'status' | 'message'>),
        time: new Date(row.created_at).toISOString(),
        deploy_id: id,
        seq: row.seq,
      }));
    },
  };
}
