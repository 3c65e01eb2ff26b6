import { BerthError } from '@berth/kit';
import { type Kysely, sql } from 'kysely';

const NAME = 'incomplete_copy';

/** A table that a Postgres schema has until the copy of another database into it is complete. */
export const INCOMPLETE = sql.table(NAME);

/** @throws `unavailable` when a copy of another database into this one is not complete. */
export async function refuseIncomplete(db: Kysely<unknown>): Promise<void> {
  if (!(await isIncomplete(db))) return;
  throw new BerthError({
    code: 'unavailable',
    status: 503,
    message: 'The Postgres database is an incomplete copy. Run `berth admin migrate` again, which completes it.',
  });
}

/** Returns whether a copy of another database into this one is not complete. */
export async function isIncomplete(db: Kysely<unknown>): Promise<boolean> {
  const query = sql`select 1 from pg_tables where schemaname = current_schema() and tablename = ${NAME}`;
  return (await query.execute(db)).rows.length > 0;
}

/** Keeps servers from starting on a schema. @param isVerified whether it is complete already. */
export async function markIncomplete(db: Kysely<unknown>, isVerified: boolean): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`create table ${INCOMPLETE} (is_verified integer not null)`.execute(transaction);
    await sql`insert into ${INCOMPLETE} values (${Number(isVerified)})`.execute(transaction);
  });
}
