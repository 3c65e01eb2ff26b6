import { type Database, type Sealer, sharedVariableContext } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { EnvironmentChange } from './environment-change.ts';

/** A shared variable. */
export interface SharedVariableRecord {
  readonly key: string;
  readonly value: string;
  readonly isPlain: boolean;
  readonly updatedAtMs: number;
}

/** The sealed variables of accounts, which variables of their deployments may refer to. */
export function createSharedVariableStore(db: Kysely<Database>, sealer: Sealer) {
  return {
    /** Sorted by key. */
    async list(account: AccountId): Promise<SharedVariableRecord[]> {
      const rows = await db
        .selectFrom('shared_variables')
        .selectAll()
        .where('account_id', '=', account)
        .orderBy('key')
        .execute();
      return rows.map(({ key, sealed_value, is_plain, updated_at }) => ({
        key,
        value: sealer.open(sealed_value, sharedVariableContext(account, key)),
        isPlain: is_plain === 1,
        updatedAtMs: updated_at,
      }));
    },
    /** Applies a change. The store must be of a transaction. */
    async write(account: AccountId, { set, unset, plain }: EnvironmentChange, nowMs: number): Promise<void> {
      const keys = [...set.keys(), ...unset];
      if (keys.length === 0) return;
      await db.deleteFrom('shared_variables').where('account_id', '=', account).where('key', 'in', keys).execute();
      const box = await sealer.current(db);
      for (const [key, value] of set) {
        await db
          .insertInto('shared_variables')
          .values({
            account_id: account,
            key,
            sealed_value: box.seal(value, sharedVariableContext(account, key)),
            is_plain: plain.has(key) ? 1 : 0,
            updated_at: nowMs,
          })
          .execute();
      }
    },
  };
}
