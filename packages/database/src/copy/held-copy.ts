import { BerthError, type Logger } from '@berth/kit';
import { type Kysely, sql } from 'kysely';
import { SCHEMA } from '../migrations/index.ts';
import type { Database } from '../schema/index.ts';
import type { CopySource } from './copy-database.ts';
import { INCOMPLETE, isIncomplete, markIncomplete } from './incomplete-copy.ts';
import { openPostgresSide, openSqliteSide } from './sides.ts';

/** A schema of Postgres that a platform moves into. */
export interface HeldPlace {
  readonly url: string;
  /** `berth` by default. */
  readonly schema?: string;
  readonly logger: Logger;
}

/**
 * The state of a schema of Postgres. `empty`: it has no accounts; `held`: a copy into it has begun, or it is kept from servers, and no
 * server starts on it; `used`: servers can start on it.
 */
export type SchemaState = 'empty' | 'held' | 'used';

/** Returns the state of a schema. Changes nothing. @throws `unavailable` when the database can't be used */
export async function readSchemaState({ url, schema = SCHEMA, logger }: HeldPlace): Promise<SchemaState> {
  await using side = openPostgresSide({ url, schema, logger });
  const db = side.db as Kysely<unknown>;
  if (await isIncomplete(db)) return 'held';
  const tables = sql`select 1 from pg_tables where schemaname = ${schema} and tablename = 'accounts'`;
  if ((await tables.execute(db)).rows.length === 0) return 'empty';
  return (await sql`select 1 from accounts limit 1`.execute(db)).rows.length === 0 ? 'empty' : 'used';
}

/** Keeps servers from starting on a schema that is complete, until {@link releaseCopy}. Idempotent. */
export async function holdSchema({ url, schema = SCHEMA, logger }: HeldPlace): Promise<void> {
  await using side = openPostgresSide({ url, schema, logger });
  const db = side.db as Kysely<unknown>;
  if (!(await isIncomplete(db))) await markIncomplete(db, true);
}

/**
 * Changes a copy that was compared with its source, and lets servers start on it, both in one transaction.
 * @throws `conflict` when the copy isn't complete, or was released before; what `change` throws, and then nothing has changed
 */
export async function releaseCopy(
  { url, schema = SCHEMA, logger }: HeldPlace,
  change: (transaction: Kysely<Database>) => Promise<void>,
): Promise<void> {
  await using side = openPostgresSide({ url, schema, logger });
  const db = side.db as unknown as Kysely<Database>;
  await db.transaction().execute(async (transaction) => {
    const isHeld = await isIncomplete(transaction as unknown as Kysely<unknown>);
    const { rows } = isHeld
      ? await sql<{ is_verified: number }>`select is_verified from ${INCOMPLETE} for update`.execute(transaction)
      : { rows: [] };
    if (rows[0]?.is_verified !== 1) {
      throw new BerthError({ code: 'conflict', status: 409, message: 'The copy of the database is not complete.' });
    }
    await change(transaction);
    await sql`drop table ${INCOMPLETE}`.execute(transaction);
  });
}

/** Reads a database that a server may be using, without migrating it. Disposal closes it. */
export function openForReading(
  source: CopySource,
  logger: Logger,
): { readonly db: Kysely<Database> } & AsyncDisposable {
  const side =
    'file' in source ? openSqliteSide(source.file) : openPostgresSide({ url: source.url, schema: SCHEMA, logger });
  return { db: side.db as unknown as Kysely<Database>, [Symbol.asyncDispose]: () => side[Symbol.asyncDispose]() };
}
