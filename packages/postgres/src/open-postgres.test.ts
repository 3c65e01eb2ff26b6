import { createSilentLogger } from '@berth/kit';
import type { Migration } from '@berth/sqlite';
import { waitUntil } from '@berth/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { claimDatabase } from './claim-database.ts';
import { type OpenPostgres, openPostgres } from './open-postgres.ts';
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from './testing/start-postgres.ts';

interface Shop {
  items: { name: string; amount: number };
}

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);

const items: Migration = {
  id: 1,
  name: 'items',
  async up(db) {
    await db.schema
      .createTable('items')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('amount', 'integer', (column) => column.notNull())
      .execute();
  },
};
const later: Migration = { id: 2, name: 'later', up: async () => {} };

describe.skipIf(!programs)(programs ? 'on a real Postgres' : `a schema of Postgres: ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  const opened: OpenPostgres<Shop>[] = [];
  let schemas = 0;

  beforeAll(async () => {
    server = await startPostgres(programs as string);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  afterAll(() => server?.close());

  const open = async (schema = `shop_${++schemas}`, migrations: readonly Migration[] = [items]) => {
    const one = await openPostgres<Shop>({ url: server.url, schema, migrations });
    opened.push(one);
    return one;
  };

  // Fails when servers that start at once both create the schema or run a migration.
  test('servers that start at once migrate it once', async () => {
    let runs = 0;
    const counted: Migration = {
      ...items,
      async up(db) {
        runs++;
        await items.up(db);
      },
    };
    await Promise.all([1, 2, 3].map(() => open('together', [counted])));
    expect(runs).toBe(1);
  });

  // Fails when an old server starts on tables that it doesn't know.
  test('of a newer version is refused', async () => {
    await open('newer', [items, later]);
    await expect(open('newer', [items])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Start the version that wrote it, or a newer one.'),
    });
  });

  // Fails when transactions only read what is committed: both would see 1, and one of the changes would be lost.
  test('has transactions whose result is as if they had run one after another', async () => {
    const { db } = await open();
    await db.insertInto('items').values({ name: 'a', amount: 0 }).execute();
    const add = () =>
      db.transaction().execute(async (transaction) => {
        const { amount } = await transaction.selectFrom('items').select('amount').executeTakeFirstOrThrow();
        await transaction
          .updateTable('items')
          .set({ amount: amount + 1 })
          .execute();
      });
    await Promise.all(Array.from({ length: 8 }, add));
    expect(await db.selectFrom('items').select('amount').executeTakeFirst()).toEqual({ amount: 8 });
  });

  // Fails when a single statement that meets a conflict is reported to its caller.
  test('runs a single statement again that another one came before', async () => {
    const { db } = await open();
    await db.insertInto('items').values({ name: 'a', amount: 0 }).execute();
    const add = () =>
      db
        .updateTable('items')
        .set((eb) => ({ amount: eb('amount', '+', 1) }))
        .execute();
    await Promise.all(Array.from({ length: 20 }, add));
    expect(await db.selectFrom('items').select('amount').executeTakeFirst()).toEqual({ amount: 20 });
  });

  // Fails when the language of the database orders texts: a page that continues after "Z" would miss "a" or repeat it.
  test('orders texts by their bytes, keeps no NUL, and has integers of 64 bits', async () => {
    const { db } = await open();
    for (const name of ['a', 'B', 'ä', '_', 'Z', 'x\0y'])
      await db
        .insertInto('items')
        .values({ name, amount: 2 ** 40 })
        .execute();
    const rows = await db.selectFrom('items').select('name').orderBy('name').execute();
    expect(rows.map(({ name }) => name)).toEqual(['B', 'Z', '_', 'a', 'x\u{fffd}y', 'ä']);
    const sum = await db
      .selectFrom('items')
      .select((eb) => [eb.fn.sum('amount').as('sum'), eb.fn.countAll().as('count')])
      .executeTakeFirst();
    expect(sum).toEqual({ sum: 6 * 2 ** 40, count: 6 });
  });

  // Fails when connections that broke are kept, or when the reason isn't said.
  test('is unavailable while the server is down, and back with it', async () => {
    const { db } = await open();
    await db.insertInto('items').values({ name: 'kept', amount: 1 }).execute();
    await server.stop();
    await expect(db.selectFrom('items').selectAll().execute()).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
    });
    await server.start();
    expect(await db.selectFrom('items').selectAll().execute()).toEqual([{ name: 'kept', amount: 1 }]);
  });

  describe('notices', () => {
    const collect = async ({ notices }: OpenPostgres<Shop>) => {
      const heard: (string | undefined)[] = [];
      notices.subscribe('change', (payload) => void heard.push(payload));
      await waitUntil('it listens', () => heard.length > 0);
      return heard;
    };

    // Fails when a notice stays within a process, reaches another schema, or is sent before the commit.
    test('reach other servers of the schema when the transaction is committed', async () => {
      const [one, other, stranger] = [await open('a'), await open('a'), await open('b')];
      const [heard, foreign] = [await collect(other), await collect(stranger)];
      await one.db.transaction().execute(async (transaction) => {
        await one.notices.publish('change', 'first', transaction);
        await one.notices.publish('change', 'before the commit');
      });
      const rolledBack = one.db.transaction().execute(async (transaction) => {
        await one.notices.publish('change', 'never', transaction);
        throw new Error('stop');
      });
      await expect(rolledBack).rejects.toThrow('stop');
      await one.notices.publish('change', 'last');
      await waitUntil('the last one arrives', () => heard.includes('last'));
      expect(heard).toEqual([undefined, 'before the commit', 'first', 'last']);
      expect(foreign).toEqual([undefined]);
    });

    // Fails when a server that lost its connection never listens again, or doesn't know that it missed something.
    test('go on after the server was restarted, and say that some may be missing', async () => {
      const one = await open();
      const heard = await collect(one);
      await server.stop();
      await server.start();
      await waitUntil('it listens again', () => heard.length > 1);
      await one.notices.publish('change', 'after');
      await waitUntil('the notice arrives', () => heard.includes('after'));
      expect(heard).toEqual([undefined, undefined, 'after']);
    });
  });

  // Fails when two servers drive the same deploys, or when a server that lost its connection lets another one in for good.
  test('is claimed by one server at a time, also after Postgres was restarted', async () => {
    const logger = createSilentLogger();
    const claim = await claimDatabase(server.url, { logger, isShared: false });
    await server.stop();
    await server.start();
    const held = async () => {
      const { rows } = await sql<{
        held: boolean;
      }>`select exists (select 1 from pg_locks where locktype = 'advisory') as held`.execute((await open('claims')).db);
      return rows[0]?.held === true;
    };
    await waitUntil('it is claimed again', held);
    const second = claimDatabase(server.url, { logger, isShared: false });
    await claim.release();
    await (await second).release();
    await waitUntil('it is free', async () => !(await held()));
  });

  // Fails when servers that share their objects exclude each other, or one that doesn't is let in beside them.
  test('is claimed by several servers that share it, and by none besides', async () => {
    const logger = createSilentLogger();
    const [one, two] = await Promise.all([1, 2].map(() => claimDatabase(server.url, { logger, isShared: true })));
    let isAlone = false;
    const sole = claimDatabase(server.url, { logger, isShared: false }).then((claim) => {
      isAlone = true;
      return claim;
    });
    await one?.release();
    await (await claimDatabase(server.url, { logger, isShared: true })).release();
    expect(isAlone).toBe(false);
    await two?.release();
    await (await sole).release();
  });

  // Fails when the message of a wrong URL contains the password.
  test('that cannot be opened is explained without the password', async () => {
    const url = server.url.replace('test@', 'test:geheim@').replace('/postgres?', '/missing?');
    const opening = openPostgres<Shop>({ url, schema: 'x', migrations: [] });
    const error = (await opening.catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toBe('The Postgres database can\'t be used. database "missing" does not exist.');
    await expect(sql`select 1`.execute((await open()).db)).resolves.toBeDefined();
  });
});
