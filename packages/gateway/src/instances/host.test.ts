import { BerthError } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { type CapacityRequest, createHost, type Host, type Reclaimable, type Reservation } from './host.ts';

const never = new AbortController().signal;

const need = (deployment: string, memoryBytes: number, cpuMillis = 0): CapacityRequest => ({
  ...{ deployment, memoryBytes, cpuMillis },
  revision: `${deployment}-1`,
});

function createTestHost(
  options: {
    memoryBytes?: number;
    cpuMillis?: number;
    starts?: number;
    idle?: () => Reclaimable[];
    find?: () => boolean;
  } = {},
) {
  const clock = createFakeClock();
  let capacities = 0;
  const host = createHost({
    clock,
    memoryBytes: options.memoryBytes ?? 100,
    cpuMillis: options.cpuMillis ?? 1_000,
    simultaneousStarts: options.starts ?? 2,
    startSlotHoldMs: 10_000,
    reclaimable: options.idle ?? (() => []),
    findReclaimable: async () => options.find?.() ?? false,
    onCapacityFreed: () => capacities++,
  });
  return { host, clock, capacities: () => capacities };
}

/** What has settled of a promise after all reactions ran. */
async function outcome<Value>(promise: Promise<Value>): Promise<'waits' | 'refused' | Value> {
  const waiting = new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')));
  return await Promise.race([promise.catch(() => 'refused' as const), waiting]);
}

test('H1: memory is given until it is used up, and again when it comes back', async () => {
  const { host, capacities } = createTestHost();
  const first = await host.reserve(need('a', 60), never);
  expect(host.fits(need('x', 15))).toBe(2);
  await expect(host.reserve(need('b', 60), never)).rejects.toSatisfy((error) =>
    BerthError.is(error, 'out_of_capacity'),
  );
  first.release();
  first.release();
  expect(capacities()).toBe(1);
  expect(host.fits(need('x', 90))).toBe(1);
});

test('H2: idle instances are stopped, longest idle first, only when that makes enough room', async () => {
  const stopped: string[] = [];
  const held: Reservation[] = [];
  const idle = (name: string, memoryBytes: number, idleSinceMs: number): Reclaimable => ({
    ...need(name, memoryBytes),
    idleSinceMs,
    stop: () => stopped.push(name),
  });
  const { host } = createTestHost({ idle: () => [idle('young', 40, 9), idle('old', 40, 1)] });
  held.push(await host.reserve(need('a', 40), never), await host.reserve(need('b', 40), never));
  expect(await outcome(host.reserve(need('c', 101), never))).toBe('refused');
  expect(stopped).toEqual([]);
  const waiting = host.reserve(need('c', 50), never);
  expect(await outcome(waiting)).toBe('waits');
  expect(stopped).toEqual(['old']);
  held[0]?.releaseSoon();
  held[0]?.release();
  expect(await outcome(waiting)).toMatchObject({});
  expect(host.fits(need('x', 10))).toBe(0);
});

test('H2: what is being stopped anyway is waited for, and nothing is stopped for it', async () => {
  const stopped: string[] = [];
  const { host } = createTestHost({
    idle: () => [{ ...need('x', 50), idleSinceMs: 0, stop: () => stopped.push('x') }],
  });
  const leaving = await host.reserve(need('a', 100), never);
  leaving.releaseSoon();
  const waiting = host.reserve(need('b', 100), never);
  expect(await outcome(waiting)).toBe('waits');
  leaving.release();
  await waiting;
  expect(stopped).toEqual([]);
});

test('H3: the first that waits is served first, also by a small one that would fit', async () => {
  const { host } = createTestHost();
  const leaving = await host.reserve(need('a', 90), never);
  leaving.releaseSoon();
  const order: string[] = [];
  const large = host.reserve(need('b', 80), never).then(() => order.push('large'));
  const small = host.reserve(need('c', 10), never).then(() => order.push('small'));
  expect(order).toEqual([]);
  leaving.release();
  await Promise.all([large, small]);
  expect(order).toEqual(['large', 'small']);
});

test('one that stops waiting lets the next one through', async () => {
  const { host } = createTestHost();
  const leaving = await host.reserve(need('a', 50), never);
  leaving.releaseSoon();
  const abort = new AbortController();
  const large = host.reserve(need('b', 100), abort.signal);
  const small = host.reserve(need('c', 40), never);
  expect(await outcome(small)).toBe('refused');
  const next = host.reserve(need('c', 0), never);
  abort.abort(new Error('enough'));
  await expect(large).rejects.toThrow('enough');
  await next;
});

const turn = (host: Host) => host.acquireStart(never);

test('starts take turns, in order, and a hung one loses its turn', async () => {
  const { host, clock } = createTestHost({ starts: 1 });
  const end = await turn(host);
  const second = turn(host);
  const third = turn(host);
  expect(await outcome(second)).toBe('waits');
  end();
  end();
  expect(await outcome(second)).toBeTypeOf('function');
  expect(await outcome(third)).toBe('waits');
  await clock.elapse(10_000);
  expect(await outcome(third)).toBeTypeOf('function');
});

test('H1: CPU is given until it is used up, too, and the answer says of which there is too little', async () => {
  const { host } = createTestHost({ cpuMillis: 1_000 });
  await host.reserve(need('a', 10, 600), never);
  expect(host.fits(need('x', 10, 150))).toBe(2);
  await expect(host.reserve(need('b', 10, 500), never)).rejects.toThrow(/0\.5 CPU; of the 1 .* 0\.4 are free/);
});

test('H4: a busy service leaves the last tenth to those that have nothing yet', async () => {
  const { host } = createTestHost();
  const grown = await Promise.all(Array.from({ length: 9 }, () => host.reserve(need('busy', 10), never)));
  expect(grown).toHaveLength(9);
  expect(await outcome(host.reserve(need('busy', 10), never))).toBe('refused');
  await host.reserve(need('new', 10), never);
  expect(host.fits(need('x', 10))).toBe(0);
});

test('H4: who has less than its share may take of the last tenth', async () => {
  const { host } = createTestHost();
  for (let i = 0; i < 8; i++) await host.reserve(need('large', 10), never);
  await host.reserve(need('small', 10), never);
  expect(await outcome(host.reserve(need('large', 10), never))).toBe('refused');
  await host.reserve(need('small', 10), never);
});

test('H5: growing stops of others only what is idle for long, or who has more; a first instance stops any idle one', async () => {
  const stopped: string[] = [];
  let idleSinceMs = 0;
  const idleOf = (deployment: string): Reclaimable => ({
    ...need(deployment, 40),
    idleSinceMs,
    stop: () => stopped.push(deployment),
  });
  const { host, clock } = createTestHost({ idle: () => [idleOf('quiet')] });
  await clock.elapse(60_000);
  idleSinceMs = clock.monotonicMs() - 5_000;
  for (const one of [need('quiet', 40), need('busy', 50)]) await host.reserve(one, never);
  expect(await outcome(host.reserve(need('busy', 20), never))).toBe('refused');
  expect(stopped).toEqual([]);
  await clock.elapse(25_000);
  expect(await outcome(host.reserve(need('busy', 20), never))).toBe('waits');
  expect(stopped).toEqual(['quiet']);
  idleSinceMs = clock.monotonicMs() - 5_000;
  expect(await outcome(host.reserve(need('new', 30), never))).toBe('waits');
  expect(stopped).toEqual(['quiet', 'quiet']);
});

test('H3, H6: what comes free goes to who has nothing first, in place of who grows if it must', async () => {
  const { host } = createTestHost();
  const leaving = await host.reserve(need('a', 80), never);
  await host.reserve(need('b', 10), never);
  leaving.releaseSoon();
  const growing = host.reserve(need('b', 20), never);
  const first = host.reserve(need('c', 60), never);
  expect(await outcome(growing)).toBe('waits');
  expect(await outcome(first)).toBe('waits');
  const second = host.reserve(need('d', 20), never);
  expect(await outcome(growing)).toBe('refused');
  leaving.release();
  await Promise.all([first, second]);
});

// Fails when reserve() asks once only, or goes on asking after its request was given up.
test('before a start is refused, idle instances are asked until one may be stopped or none is left', async () => {
  const found: Reclaimable[] = [];
  let asked = 0;
  let onAsked = () => {};
  const { host } = createTestHost({
    idle: () => found,
    find() {
      asked++;
      onAsked();
      return asked < 5;
    },
  });
  const held = await host.reserve(need('a', 80), never);
  onAsked = () => {
    if (asked === 3) found.push({ ...need('a', 80), idleSinceMs: -60_000, stop: held.release });
  };
  expect(await outcome(host.reserve(need('b', 80), never))).toMatchObject({});
  expect(asked).toBe(3);

  found.pop();
  expect(await outcome(host.reserve(need('c', 80), never))).toBe('refused');
  expect(asked).toBe(5);

  asked = 0;
  const abort = new AbortController();
  onAsked = () => abort.abort(new Error('nobody waits'));
  expect(await outcome(host.reserve(need('d', 80), abort.signal))).toBe('refused');
  expect(asked).toBe(1);
});
