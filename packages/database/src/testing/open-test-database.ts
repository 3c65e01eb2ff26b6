import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { settleWhile } from '@berth/kit/testing';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import type { Database } from '../schema/index.ts';

/** Variable with the URL of the Postgres server that the tests of a lane share. */
export const SHARED_POSTGRES = 'BERTH_TEST_DATABASE_URL';

const sharedUrl = process.env[SHARED_POSTGRES];

/** True in the lane whose tests run on Postgres. */
export const isOnPostgres = sharedUrl !== undefined;

/** A schema of the shared server and the path that it belongs to. */
interface TestSchema {
  readonly name: string;
  file: string;
  handles: number;
}

const schemas: TestSchema[] = [];

/**
 * Opens a database for a test: an SQLite file, or in the lane `stores-postgres` a schema of the shared Postgres server that belongs to the
 * file's path. The same path opens the same database again, as long as its folder exists.
 */
export async function openTestDatabase(file: string): Promise<OpenDatabase> {
  if (sharedUrl === undefined) {
    migrated ??= migrateFile();
    if (!existsSync(file)) writeFileSync(file, await migrated, { mode: 0o600 });
    return openDatabase({ file, isSyncedInline: true });
  }
  countQueries();
  const known = schemas.find((one) => one.file === file);
  const schema = known ?? reuseSchema(file) ?? addSchema(file);
  schema.handles++;
  if (!known) await emptySchema(schema.name);
  const opened = await openDatabase({ url: sharedUrl, schema: schema.name });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= opened.close().then(() => void schema.handles--));
  return { ...opened, close };
}

let migrated: Promise<Buffer> | undefined;

/** Returns an SQLite file without rows. Copying it takes a tenth of the time of the migrations. */
async function migrateFile(): Promise<Buffer> {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-migrated-'));
  const file = path.join(folder.path, 'berth.db');
  const { close } = await openDatabase({ file });
  await close();
  return readFileSync(file);
}

function addSchema(file: string): TestSchema {
  const schema = { name: `t_${randomUUID().replaceAll('-', '')}`, file, handles: 0 };
  schemas.push(schema);
  return schema;
}

/** Takes over the schema of a test that has ended: emptying it takes a fiftieth of the time that the migrations of a new one take. */
function reuseSchema(file: string): TestSchema | undefined {
  const free = schemas.find((one) => one.handles === 0 && !existsSync(path.dirname(one.file)));
  if (free) free.file = file;
  return free;
}

/** Removes all rows and restarts the sequences. A schema that does not exist yet has none. */
async function emptySchema(name: string): Promise<void> {
  const client = new pg.Client(sharedUrl);
  await client.connect();
  await client.query(`do $$ declare one record; begin
    set local session_replication_role = replica;
    for one in select tablename from pg_tables where schemaname = '${name}' and tablename <> 'schema_migrations' loop
      execute format('delete from ${name}.%I', one.tablename);
    end loop;
    for one in select sequencename from pg_sequences where schemaname = '${name}' and last_value is not null loop
      execute format('alter sequence ${name}.%I restart', one.sequencename);
    end loop;
  end $$`);
  await client.end();
}

/**
 * Makes `db` run the callback of each transaction twice, and undo the first run, as Postgres does after a conflict: a callback with effects besides
 * its queries has them twice, and its test fails.
 */
export function rehearseTransactions(db: Kysely<Database>): void {
  const begin = db.transaction.bind(db);
  db.transaction = () => {
    const builder = begin();
    const execute = builder.execute.bind(builder);
    builder.execute = async (work) => {
      const rehearsal = execute(async (transaction) => {
        await work(transaction);
        throw new Error('undone');
      });
      await rehearsal.catch(() => {});
      return begin().execute(work);
    };
    return builder;
  };
}

let isCounting = false;

/** Turns of the event loop without a query after which none is about to come. */
const QUIET_TURNS = 10;

/** Makes fake clocks wait for queries, and for what they lead to. */
function countQueries(): void {
  if (isCounting) return;
  isCounting = true;
  let running = 0;
  let quietTurns = 0;
  const end = () => void running--;
  for (const method of ['query', 'connect'] as const) {
    const original = pg.Client.prototype[method] as (...values: unknown[]) => unknown;
    const counted = function (this: pg.Client, ...values: unknown[]): unknown {
      running++;
      const callback = values.at(-1);
      if (typeof callback === 'function') {
        const ending = (...results: unknown[]) => {
          end();
          return callback(...results);
        };
        return original.apply(this, [...values.slice(0, -1), ending]);
      }
      return (original.apply(this, values) as Promise<unknown>).finally(end);
    };
    pg.Client.prototype[method] = counted as never;
  }
  settleWhile(() => {
    quietTurns = running > 0 ? 0 : quietTurns + 1;
    if (quietTurns < QUIET_TURNS) return true;
    quietTurns = 0;
    return false;
  });
}

/** Makes writes to a table fail with `message`, as on a full disk. Resolves with the function that ends it. */
export async function refuseWrites(
  db: Kysely<Database>,
  table: keyof Database,
  on: 'insert' | 'update',
  column?: string,
): Promise<() => Promise<void>> {
  const event = sql.raw(column === undefined ? on : `${on} of ${column}`);
  if (isOnPostgres) {
    await sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no room''; end'`.execute(
      db,
    );
    await sql`create trigger refuse before ${event} on ${sql.table(table)} for each row execute function refuse()`.execute(
      db,
    );
  } else {
    await sql`create trigger refuse before ${event} on ${sql.table(table)} begin select raise(abort, 'no room'); end`.execute(
      db,
    );
  }
  return async () => {
    if (isOnPostgres) await sql`drop function refuse cascade`.execute(db);
    else await sql`drop trigger refuse`.execute(db);
  };
}
