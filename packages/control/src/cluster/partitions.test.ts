import type { OpenDatabase } from '@berth/database';
import { createSilentLogger } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { type Cluster, leaseTime } from './cluster.ts';
import { createPartitions, PARTITIONS, partitionOf, rightfulOwner } from './partitions.ts';
import { createPausableClock, createSharedDatabase, type SharedDatabase } from './testing/open-servers.ts';

const LEASE_MS = 600;
const logger = createSilentLogger();

interface GatewayOptions {
  readonly giveUp?: () => Promise<void>;
  readonly isRenewedBeside?: boolean;
  /** The others of the test, which it asks to agree. */
  readonly others?: () => readonly Gateway[];
}

/** A gateway of a test, with what it was told. */
async function join(database: SharedDatabase, id: string, options: GatewayOptions = {}) {
  const { giveUp = async () => {}, isRenewedBeside = false, others } = options;
  const opened = await database.open();
  let isCutOff = false;
  const db = new Proxy(opened.db, {
    get(target, key) {
      if (isCutOff) throw new Error('the database can’t be reached');
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const clock = createPausableClock();
  const cluster = database.join(opened, clock, id);
  const mine = new Map<number, number>();
  const events: string[] = [];
  const partitions = createPartitions({
    ...{ db, clock, cluster, logger, leaseMs: LEASE_MS },
    self: { id, address: `${id}:1` },
    onChange() {},
    onTaken(taken) {
      events.push('taken');
      for (const { number, epoch } of taken) mine.set(number, epoch);
    },
    onLost(lost) {
      events.push('lost');
      for (const number of lost) mine.delete(number);
    },
    giveUp,
    ...(others && {
      askOthers: async () => {
        const answers = await Promise.all(others().map(({ partitions: other }) => other.agree()));
        return answers.every(Boolean);
      },
    }),
    ...(isRenewedBeside && { renewBeside: () => renewBeside(opened, cluster, id) }),
  });
  await partitions.start();
  return {
    ...{ id, clock, mine, partitions, events },
    setCutOff(isAway: boolean) {
      isCutOff = isAway;
    },
    async [Symbol.asyncDispose]() {
      clock.resume();
      isCutOff = false;
      await partitions.close();
      await opened.close();
    },
  };
}
/** As the thread of a server does, which a busy event loop doesn't hold up. */
function renewBeside({ db }: Pick<OpenDatabase, 'db'>, cluster: Cluster, id: string) {
  let renewedMs = Number.NEGATIVE_INFINITY;
  const timer = setInterval(async () => {
    const startedMs = performance.now();
    const { numUpdatedRows } = await db
      .updateTable('gateways')
      .set({ expires_at: leaseTime(cluster, LEASE_MS) as never })
      .where('id', '=', id)
      .where('expires_at', '>', cluster.nowMs())
      .executeTakeFirst();
    if (numUpdatedRows === 1n) renewedMs = startedMs;
  }, LEASE_MS / 6);
  return { sinceRenewalMs: () => performance.now() - renewedMs, close: async () => clearInterval(timer) };
}
type Gateway = Awaited<ReturnType<typeof join>>;

const all = Array.from({ length: PARTITIONS }, (_, number) => number);
/** Whether the gateways have all partitions, each the rightful one. */
const areSpread = (...gateways: readonly Gateway[]) =>
  all.every((number) => {
    const owner = rightfulOwner(
      number,
      gateways.map(({ id }) => id),
    );
    return gateways.every(({ id, mine }) => mine.has(number) === (id === owner));
  });

test('gateways spread the services, and each knows who has which', async () => {
  await using database = await createSharedDatabase();
  await using a = await join(database, 'a');
  expect(a.mine.size).toBe(PARTITIONS);
  await using b = await join(database, 'b');
  await waitUntil('they are spread', () => areSpread(a, b));
  for (const { mine } of [a, b]) expect(mine.size).toBeGreaterThan(PARTITIONS / 4);
  for (const name of ['shop', 'blog', 'api', 'chat']) {
    const owner = [a, b].find(({ mine }) => mine.has(partitionOf(name)));
    await waitUntil('both know', () =>
      [a, b].every(({ partitions }) => partitions.ownerOf(name)?.address === `${owner?.id}:1`),
    );
    expect([a, b].map(({ partitions }) => partitions.isHeld(name))).toEqual([owner === a, owner === b]);
  }
});

// Fails when a partition is given to another before its work here has ended, or a gateway that comes moves more than it gets.
test('a gateway that comes gets its share of the others, after their work there has ended', async () => {
  await using database = await createSharedDatabase();
  const gate = Promise.withResolvers<void>();
  await using a = await join(database, 'a', { giveUp: () => gate.promise });
  const before = new Map(a.mine);
  await using b = await join(database, 'b');
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS));
  expect([a.mine.size, b.mine.size]).toEqual([PARTITIONS, 0]);
  gate.resolve();
  await waitUntil('they are spread', () => areSpread(a, b));
  for (const [number, epoch] of a.mine) expect(epoch).toBe(before.get(number));
  for (const [number, epoch] of b.mine) expect(epoch).toBe((before.get(number) ?? 0) + 1);
});

test('a gateway that leaves gives up all it has, and the others take it at once', async () => {
  await using database = await createSharedDatabase();
  await using a = await join(database, 'a');
  const b = await join(database, 'b');
  await waitUntil('they are spread', () => areSpread(a, b));
  await b[Symbol.asyncDispose]();
  expect(b.mine.size).toBe(0);
  await waitUntil('the other has all', () => areSpread(a));
  await waitUntil('it knows', () => a.partitions.peers.length === 1);
});

// Fails when a gateway that was paused goes on with what another has, or still thinks so when it wakes.
test('what a gateway that was paused had is another’s after the lease, and it knows as soon as it wakes', async () => {
  await using database = await createSharedDatabase();
  await using a = await join(database, 'a');
  await using b = await join(database, 'b');
  await waitUntil('they are spread', () => areSpread(a, b));
  const [name] = ['shop', 'blog', 'api', 'chat', 'mail', 'wiki'].filter((one) => a.partitions.isHeld(one));
  a.clock.pause();
  await waitUntil('the other has all', () => areSpread(b));
  expect(a.partitions.isHeld(name ?? '')).toBe(false);
  a.clock.resume();
  await waitUntil('they are spread again', () => areSpread(a, b));
  expect(a.events.filter((event) => event === 'lost').length).toBeGreaterThan(0);
});

// Fails when a gateway whose event loop is late loses its services although its lease was renewed.
test('a gateway that is late keeps what it has while its lease is renewed beside', async () => {
  await using database = await createSharedDatabase();
  await using a = await join(database, 'a', { isRenewedBeside: true });
  await using b = await join(database, 'b');
  await waitUntil('they are spread', () => areSpread(a, b));
  const [name = ''] = ['shop', 'blog', 'api', 'chat', 'mail', 'wiki'].filter((one) => a.partitions.isHeld(one));
  const before = a.events.length;
  a.clock.pause();
  await new Promise((resolve) => setTimeout(resolve, 4 * LEASE_MS));
  expect(a.partitions.isHeld(name)).toBe(true);
  a.clock.resume();
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS));
  expect(a.events.slice(before)).toEqual([]);
  expect(areSpread(a, b)).toBe(true);
});

// Fails when gateways lose their services to an outage of the database, or take them from those that come back a moment later.
test('gateways that can’t reach the database keep what they have, and go on with it when it is back', async () => {
  await using database = await createSharedDatabase();
  const gateways: Gateway[] = [];
  const others = (id: string) => () => gateways.filter((one) => one.id !== id);
  await using a = await join(database, 'a', { others: others('a') });
  await using b = await join(database, 'b', { others: others('b') });
  await using c = await join(database, 'c', { others: others('c') });
  gateways.push(a, b, c);
  await waitUntil('they are spread', () => areSpread(a, b, c));
  const before = gateways.map(({ events, mine }) => [[...events], [...mine]]);
  for (const one of gateways) one.setCutOff(true);
  for (let elapsedMs = 0; elapsedMs < 4 * LEASE_MS; elapsedMs += 100) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const name of ['shop', 'blog', 'api', 'chat'])
      expect(gateways.filter(({ partitions }) => partitions.isHeld(name))).toHaveLength(1);
  }
  a.setCutOff(false);
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 4));
  for (const one of gateways) one.setCutOff(false);
  await new Promise((resolve) => setTimeout(resolve, 3 * LEASE_MS));
  expect(gateways.map(({ events, mine }) => [events, [...mine]])).toEqual(before);
});

// Fails when an outage that one gateway alone has lets it go on beside another.
test('a gateway that alone can’t reach the database loses what it has to the others', async () => {
  await using database = await createSharedDatabase();
  const gateways: Gateway[] = [];
  await using a = await join(database, 'a', { others: () => gateways });
  await using b = await join(database, 'b', { others: () => [a] });
  gateways.push(b);
  await waitUntil('they are spread', () => areSpread(a, b));
  const had = [...a.mine.keys()];
  a.setCutOff(true);
  while (!had.every((number) => b.mine.has(number))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(had.filter((number) => a.mine.has(number) && b.mine.has(number))).toEqual([]);
  }
  a.setCutOff(false);
  await waitUntil('they are spread again', () => areSpread(a, b));
});

test('a gateway that comes or goes moves only what it gets or had', () => {
  const names = ['a', 'b', 'c', 'd'];
  const before = all.map((number) => rightfulOwner(number, names));
  const after = all.map((number) => rightfulOwner(number, [...names, 'e']));
  for (const [index, owner] of after.entries()) if (owner !== 'e') expect(owner).toBe(before[index]);
  const share = after.filter((owner) => owner === 'e').length / PARTITIONS;
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.3);
  expect(rightfulOwner(0, [])).toBeUndefined();
});
