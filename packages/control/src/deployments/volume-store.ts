import type { VolumeMount } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** Volumes, and which deployment sees them where, in the database. */
export interface VolumeStore {
  /** Makes those of `names` that the account does not have; returns them in the order given, each once. */
  ensure(account: AccountId, names: readonly string[], nowMs: number): Promise<string[]>;
  /** Makes `mounts` the whole of what a deployment is attached to. The volumes must exist. */
  attach(account: AccountId, deployment: string, mounts: readonly VolumeMount[]): Promise<void>;
  /** Names of the account's deployments that a volume is attached to, sorted. */
  attachedTo(account: AccountId, volume: string): Promise<string[]>;
}

export function createVolumeStore(db: Kysely<Database>): VolumeStore {
  return {
    async ensure(account, names, nowMs) {
      const created: string[] = [];
      for (const name of new Set(names)) {
        const result = await db
          .insertInto('volumes')
          .values({ account_id: account, name, created_at: nowMs })
          .onConflict((conflict) => conflict.columns(['account_id', 'name']).doNothing())
          .executeTakeFirst();
        if (result.numInsertedOrUpdatedRows === 1n) created.push(name);
      }
      return created;
    },
    async attach(account, deployment, mounts) {
      await db
        .deleteFrom('volume_attachments')
        .where('account_id', '=', account)
        .where('deployment', '=', deployment)
        .execute();
      if (mounts.length === 0) return;
      await db
        .insertInto('volume_attachments')
        .values(
          mounts.map(({ mountPath, name }) => ({
            account_id: account,
            deployment,
            mount_path: mountPath,
            volume: name,
          })),
        )
        .execute();
    },
    async attachedTo(account, volume) {
      const rows = await db
        .selectFrom('volume_attachments')
        .select('deployment')
        .distinct()
        .where('account_id', '=', account)
        .where('volume', '=', volume)
        .orderBy('deployment')
        .execute();
      return rows.map((row) => row.deployment);
    },
  };
}
