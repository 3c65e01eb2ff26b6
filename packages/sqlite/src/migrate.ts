import { BerthError } from '@berth/kit';
import { type Kysely, sql } from 'kysely';

/** One step of the schema. Once released it is never edited: a change is a new migration. */
export interface Migration {
  /** From 1, without gaps. */
  readonly id: number;
  /** The file name without its number, e.g. `accounts`. */
  readonly name: string;
  /**
   * The oldest migration that a release must know to work on the schema after this step: the id of an earlier one when this step only
   * adds what older releases ignore. Default: its own id, so older releases are refused.
   */
  readonly servesFrom?: number;
  /**
   * Changes the schema, inside a transaction. The handle is untyped because the tables are those of that version, not
   * of `Database`.
   */
  up(db: Kysely<unknown>): Promise<void>;
}

interface MigrationsSchema {
  schema_migrations: {
    readonly id: number;
    readonly name: string;
    readonly applied_at: number;
    /** See {@link Migration.servesFrom}; null: `id`. */
    readonly serves_from: number | null;
  };
}

/**
 * Runs the missing `migrations`, each in a transaction of its own. Returns the names of those that ran. A step that
 * fails leaves the schema at the step before it.
 * @throws `unavailable` when the database was written by a newer version of Berth, whose schema doesn't serve this one.
 */
export async function migrate(
  handle: Kysely<unknown>,
  migrations: readonly Migration[],
  nowMs: () => number = () => Date.now(),
): Promise<readonly string[]> {
  const db = handle as Kysely<MigrationsSchema>;
  await db.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
  // Tables of older versions lack the column.
  await sql`select serves_from from schema_migrations limit 0`
    .execute(db)
    .catch(() => db.schema.alterTable('schema_migrations').addColumn('serves_from', 'integer').execute());
  const applied: string[] = [];
  for (;;) {
    // The state is read inside the same transaction as the step, so two processes can't run a step twice.
    const name = await db.transaction().execute(async (transaction) => {
      const rows = await transaction.selectFrom('schema_migrations').selectAll().orderBy('id').execute();
      refuseUnknown(rows, migrations);
      const next = migrations[rows.length];
      if (!next) return undefined;
      await next.up(transaction as unknown as Kysely<unknown>);
      await transaction
        .insertInto('schema_migrations')
        .values({ id: next.id, name: next.name, applied_at: nowMs(), serves_from: next.servesFrom ?? null })
        .execute();
      return next.name;
    });
    if (name === undefined) return applied;
    applied.push(name);
  }
}

function refuseUnknown(rows: readonly MigrationsSchema['schema_migrations'][], migrations: readonly Migration[]): void {
  const newestId = migrations.at(-1)?.id ?? 0;
  rows.forEach((row, index) => {
    const known = migrations[index];
    if (known ? known.id === row.id && known.name === row.name : (row.serves_from ?? row.id) <= newestId) return;
    throw new BerthError({
      code: 'unavailable',
      status: 503,
      message:
        `The database is at schema ${rows.at(-1)?.id} (${rows.at(-1)?.name}), which this version of Berth does not support: ` +
        `it supports up to ${newestId}. Start the version that wrote it, or a newer one.`,
    });
  });
}
