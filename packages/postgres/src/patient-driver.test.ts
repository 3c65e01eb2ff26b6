import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Migration } from '@berth/sqlite';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgres } from './open-postgres.ts';
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from './testing/start-postgres.ts';

interface Counts {
  counts: { id: number; value: number };
}

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);

const counts: Migration = {
  id: 1,
  name: 'counts',
  async up(db) {
    await db.schema.createTable('counts').addColumn('id', 'integer').addColumn('value', 'integer').execute();
    await sql`insert into counts values (1, 0)`.execute(db);
  },
};

const add = (db: Kysely<Counts>) =>
  db
    .updateTable('counts')
    .set((eb) => ({ value: eb('value', '+', 1) }))
    .execute();
const addInTransaction = (db: Kysely<Counts>) =>
  db.transaction().execute(async (transaction) => {
    const { value } = await transaction.selectFrom('counts').select('value').executeTakeFirstOrThrow();
    await transaction
      .updateTable('counts')
      .set({ value: value + 1 })
      .execute();
  });
const readValue = async (db: Kysely<Counts>) =>
  (await db.selectFrom('counts').select('value').executeTakeFirstOrThrow()).value;

describe.skipIf(!programs)(programs ? 'patient queries' : `patient queries: ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres(programs as string);
  });
  afterAll(() => server?.close());

  const open = async (url = server.url) => {
    const opened = await openPostgres<Counts>({ url, schema: `patient_${++schemas}`, migrations: [counts] });
    onTestFinished(opened.close);
    return opened;
  };

  // Fails when a query that begins or runs during an outage is lost, done twice or reported as failed.
  test('wait until the server is back, and are done once', async () => {
    const { db, patientDb } = await open();
    const running = Array.from({ length: 8 }, () => addInTransaction(patientDb));
    await server.kill();
    const begun = [add(patientDb), addInTransaction(patientDb)];
    await expect(readValue(db)).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    await server.start();
    await Promise.all([...running, ...begun]);
    expect(await readValue(patientDb)).toBe(10);
  });

  // Fails when a step is recorded twice because the answer to its commit got lost, or not at all because the commit did.
  test.each(['commit', 'answer'] as const)('are done once when the %s is lost', async (lost) => {
    for (const work of [add, addInTransaction]) {
      const proxy = await startProxy(server, lost);
      const { patientDb } = await open(proxy.url);
      proxy.loseNext();
      await work(patientDb);
      expect([proxy.lost(), await readValue(patientDb)]).toEqual([1, 1]);
    }
  });

  test('of a closed database end', async () => {
    const { patientDb, close } = await open();
    await server.stop();
    const waiting = expect(add(patientDb)).rejects.toMatchObject({ code: 'unavailable' });
    await close();
    await waiting;
    await server.start();
  });

  test('report what they did wrong at once', async () => {
    const { patientDb } = await open();
    await expect(sql`select nothing`.execute(patientDb)).rejects.toThrow('column "nothing" does not exist');
  });
});

/** Passes connections on, until it loses a commit or the answer to it, and breaks the connection. */
async function startProxy(to: TestPostgres, lost: 'commit' | 'answer') {
  let toLose = 0;
  let losses = 0;
  const sockets = new Set<Socket>();
  const folder = new URL(to.url.replace('@/', '@x/')).searchParams.get('host') as string;
  const listener = createServer((client) => {
    const upstream = connect(`${folder}/.s.PGSQL.5432`);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    const cut = () => {
      losses++;
      client.destroy();
      upstream.destroy();
    };
    let isCommitting = false;
    client.on('data', (bytes) => {
      isCommitting = toLose > 0 && bytes.includes('commit');
      if (isCommitting) toLose--;
      if (isCommitting && lost === 'commit') cut();
      else upstream.write(bytes);
    });
    upstream.on('data', (bytes) => (isCommitting ? cut() : void client.write(bytes)));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
  return {
    url: `postgres://test@127.0.0.1:${(listener.address() as AddressInfo).port}/postgres`,
    loseNext: () => void toLose++,
    lost: () => losses,
  };
}
