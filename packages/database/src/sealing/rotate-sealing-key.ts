import { createError } from '@berth/contract';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema/index.ts';
import { SEALED_COLUMNS, type Sealers, selectOthers } from './sealed-columns.ts';

/**
 * Makes the new key of a ring the one that seals, and returns its id; undefined when the ring has none. A key that sealed before is never
 * chosen again.
 * @throws BerthError `conflict` when the ring has several new keys
 */
export async function promoteSealingKey(
  db: Kysely<Database>,
  ring: readonly string[],
  nowMs: number,
): Promise<string | undefined> {
  return db.transaction().execute(async (transaction) => {
    const rows = await transaction.selectFrom('sealing_keys').selectAll().execute();
    const fresh = ring.filter((id) => !rows.some(({ key_id }) => key_id === id));
    if (fresh.length > 1) {
      throw createError('conflict', `There are several new master keys: ${fresh.join(', ')}. Keep one of them.`);
    }
    const [key_id] = fresh;
    if (key_id === undefined) return undefined;
    const number = Math.max(0, ...rows.map((row) => row.number)) + 1;
    await transaction.insertInto('sealing_keys').values({ key_id, number, created_at: nowMs }).execute();
    return key_id;
  });
}

/** Options of {@link resealSecrets}. */
export interface ResealOptions {
  readonly db: Kysely<Database>;
  readonly sealers: Sealers;
  /** Rows of one transaction; 200 by default. */
  readonly batch?: number;
  /** Called after each transaction with the number of secrets so far. */
  onProgress?(count: number): void;
}

/**
 * Seals with the current key every secret that another key sealed, and returns their number. The secrets themselves show what is
 * left, so a run after a kill goes on. When it returns, no secret is sealed by another key.
 */
export async function resealSecrets({ db, sealers, batch = 200, onProgress }: ResealOptions): Promise<number> {
  let count = 0;
  for (const sealed of SEALED_COLUMNS) {
    const { table, column, key, contextOf } = sealed;
    const sealer = sealers[sealed.sealer];
    for (let isDone = false; !isDone; ) {
      const changed = await db.transaction().execute(async (transaction) => {
        const box = await sealer.current(transaction);
        const rows = await selectOthers(transaction, sealed, [box.prefix], batch);
        for (const row of rows) {
          const context = contextOf(row);
          const next = box.seal(sealer.open(String(row[column]), context), context);
          const isRow = sql.join(
            key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
            sql` and `,
          );
          await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${next} where ${isRow}`.execute(transaction);
        }
        return rows.length;
      });
      count += changed;
      isDone = changed === 0;
      if (!isDone) onProgress?.(count);
    }
  }
  return count;
}

/** Returns whether the current key sealed every secret. */
export async function isSealedByCurrent(db: Kysely<Database>, sealers: Sealers): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    for (const sealed of SEALED_COLUMNS) {
      const { prefix } = await sealers[sealed.sealer].current(transaction);
      if ((await selectOthers(transaction, sealed, [prefix], 1)).length > 0) return false;
    }
    return true;
  });
}
