import { createSilentLogger } from '@berth/kit';
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '@berth/postgres/testing';
import { waitUntil } from '@berth/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeAgentStores } from '../contract/describe-agent-stores.ts';
import { describeLocks } from '../contract/describe-locks.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { createSqlStores } from '../sql/create-sql-stores.ts';
import { createPostgresLocks } from './create-postgres-locks.ts';
import { openAgentPostgres } from './open-agent-postgres.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);
const logger = createSilentLogger();
const ALICE = 'alice' as OwnerKey;

const open = (url: string, agent = { name: 'helper', project: 'acc_1/helper' }) =>
  openAgentPostgres({ url, agent, logger });

describe.skipIf(!programs)(programs ? 'on a real Postgres' : `the Postgres driver ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres(programs as string);
  }, 120_000);
  afterAll(() => server?.close());

  // Before anything else has made the schema.
  test('instances that start together create the schema once', async () => {
    const opened = await Promise.all(Array.from({ length: 4 }, () => open(server.url)));
    await Promise.all(opened.map(({ close }) => close()));
  });

  describeAgentStores('Postgres', async () => createSqlStores(await open(server.url)));

  describeLocks(async () => createSqlStores(await open(server.url)));

  test('a lock ends with its connection; work that waits too long for a lock has not run', async () => {
    const [own, other] = [await open(server.url), await open(server.url)];
    const hasty = createPostgresLocks(other.db, 50);
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const held = own.locks.alone('k', async () => {
      begun.resolve();
      await gate.promise;
      return 'done';
    });
    await begun.promise;
    await expect(hasty.alone('k', async () => 'mine')).rejects.toMatchObject({ code: 'unavailable' });
    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted`.execute(other.db);
    expect(await other.locks.alone('k', async () => 'mine')).toBe('mine');
    gate.resolve();
    expect(await held).toBe('done');
    await Promise.all([own.close(), other.close()]);
  });

  test('a database that became unreachable is reported', async () => {
    const own = await startPostgres(programs as string);
    const stores = createSqlStores(await open(own.url));
    await stores.settings.setToolMode(ALICE, 'read', 'ask');
    await own.close();
    await waitUntil('it is noticed', async () => {
      const answer = await stores.settings.toolModes(ALICE).then(
        () => undefined,
        (error: { readonly code?: string }) => error.code,
      );
      return answer === 'unavailable';
    });
    await stores.close();
  }, 120_000);

  test('an unreachable database is reported without its password', async () => {
    const url = server.url.replace('test@/postgres', 'test:hunter2@/nowhere');
    const opening = open(url);
    await expect(opening).rejects.toMatchObject({ code: 'unavailable' });
    await expect(opening).rejects.toThrow('DATABASE_URL can\'t be used. database "nowhere" does not exist');
    await expect(opening).rejects.not.toThrow('hunter2');
  });

  // Fails when the reason of an error without a cause is read from its cause.
  test('a schema that is newer than the agent is reported, and left alone', async () => {
    const { db, close } = await open(server.url);
    await sql`create database newer`.execute(db);
    const url = server.url.replace('test@/postgres', 'test@/newer');
    const newer = await open(url);
    await sql`insert into schema_migrations (id, name, applied_at) values (99, 'later', 0)`.execute(newer.db);
    await newer.close();
    const opening = open(url);
    await expect(opening).rejects.toMatchObject({ code: 'unavailable' });
    await expect(opening).rejects.toThrow(
      "The database of DATABASE_URL can't be used. The database is at schema 99 (later)",
    );
    // Every connection of the failed attempt is closed: a database in use can't be dropped.
    await sql`drop database newer`.execute(db);
    await close();
  });
});
