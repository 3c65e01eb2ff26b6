import { createSilentLogger } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createSoleCluster } from './cluster.ts';
import { createLeases, type HeldLease, LeaseTakenError } from './leases.ts';
import { createPausableClock, createSharedDatabase } from './testing/open-servers.ts';

const LEASE_MS = 600;
const logger = createSilentLogger();

/** Two servers on one database. */
async function createServers() {
  const database = await createSharedDatabase();
  const server = async () => {
    const opened = await database.open();
    const clock = createPausableClock();
    const leases = createLeases({
      ...{ db: opened.db, clock, logger, leaseMs: LEASE_MS },
      cluster: database.join(opened, clock),
    });
    return { ...leases, clock, db: opened.db, close: opened.close };
  };
  const [a, b] = [await server(), await server()];
  return {
    ...{ a, b },
    async [Symbol.asyncDispose]() {
      a.clock.resume();
      await a.close();
      await b.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Starts work under a lease that goes on until `end`. */
async function hold(server: Awaited<ReturnType<typeof createServers>>['a'], name: string) {
  const started = Promise.withResolvers<HeldLease>();
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const done = server.run(name, async (lease) => {
    started.resolve(lease);
    await promise;
    return 'held';
  });
  return { lease: await started.promise, end, done };
}

const write = async ({ db }: Awaited<ReturnType<typeof createServers>>['a'], lease: HeldLease) =>
  db.transaction().execute((transaction) => lease.require(transaction));

test('one holder at a time; the next when it has ended, whatever became of the work', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const { lease, end, done } = await hold(a, 'work');
  expect(await b.run('work', async () => 'b')).toBeUndefined();
  expect(await b.run('other work', async () => 'b')).toEqual({ value: 'b' });
  await write(a, lease);
  end();
  expect(await done).toEqual({ value: 'held' });
  await expect(b.run('work', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await a.run('work', async () => 'a')).toEqual({ value: 'a' });
});

// Fails when the lease is not renewed.
test('work may take longer than a lease', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const { lease, end, done } = await hold(a, 'work');
  const until = performance.now() + 3 * LEASE_MS;
  await waitUntil('some leases have passed', async () => {
    expect(await b.run('work', async () => 'b')).toBeUndefined();
    return performance.now() > until;
  });
  await write(a, lease);
  end();
  await done;
});

// Fails when a write carries no epoch, or the lease of a server that was paused can't be taken.
test('a holder that was paused beyond its lease can write nothing when it wakes, and hears of it', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const paused = await hold(a, 'work');
  a.clock.pause();
  await waitUntil('B has it', async () => {
    const taken = b.run('work', async (lease) => write(b, lease));
    return (await taken) !== undefined;
  });
  const other = await hold(b, 'work');
  await expect(write(a, paused.lease)).rejects.toThrow(LeaseTakenError);
  a.clock.resume();
  await waitUntil('A stops', () => paused.lease.signal.aborted);
  paused.end();
  await paused.done;
  // The end of A's work releases nothing of B's.
  expect(await a.run('work', async () => 'a')).toBeUndefined();
  await write(b, other.lease);
  other.end();
  await other.done;
});

// Fails when a server that can't reach the database goes on for longer than its lease.
test('a holder that cannot renew stops when its lease may have been taken', async () => {
  await using servers = await createServers();
  const { a } = servers;
  const failing = createLeases({
    ...{ clock: a.clock, logger, leaseMs: LEASE_MS },
    cluster: { ...createSoleCluster(a.clock), isAlone: false },
    db: new Proxy(a.db, {
      get(target, key) {
        if (key === 'updateTable') throw new Error('the database is gone');
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
  });
  await failing.run('work', (lease) => waitUntil('it stops', () => lease.signal.aborted));
});

test('a server that is alone writes nothing', async () => {
  await using servers = await createServers();
  const { a } = servers;
  const leases = createLeases({ db: a.db, clock: a.clock, logger, cluster: createSoleCluster(a.clock) });
  expect(await leases.run('work', (lease) => write(a, lease).then(() => 'alone'))).toEqual({ value: 'alone' });
  expect(await a.db.selectFrom('leases').select('name').execute()).toEqual([]);
});
