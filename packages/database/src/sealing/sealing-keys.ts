import type { Kysely } from 'kysely';
import type { Database } from '../schema/index.ts';

/** Returns the id of the master key that seals the database's secrets; undefined before the first server registered one. */
export async function findSealingKey(db: Kysely<Database>): Promise<string | undefined> {
  const row = await db
    .selectFrom('sealing_keys')
    .select('key_id')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.key_id;
}

/** Registers the first master key of a new database, unless another server did. Returns the id of the registered key. */
export async function registerSealingKey(db: Kysely<Database>, keyId: string, nowMs: number): Promise<string> {
  await db
    .insertInto('sealing_keys')
    .values({ key_id: keyId, number: 1, created_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findSealingKey(db)) ?? keyId;
}
