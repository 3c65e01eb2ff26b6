import { BerthError } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createHost, type Host, type Reclaimable, type Reservation } from './host.ts';

const never = new AbortController().signal;

function createTestHost(options: { memoryBytes?: number; starts?: number; idle?: () => Reclaimable[] } = {}) {
  const clock = createFakeClock();
  let rooms = 0;
  const host = createHost({
    clock,
    memoryBytes: options.memoryBytes ?? 100,
    simultaneousStarts: options.starts ?? 2,
    startSlotHoldMs: 10_000,
    reclaimable: options.idle ?? (() => []),
    onRoom: () => rooms++,
  });
  return { host, clock, rooms: () => rooms };
}

/** What has settled of a promise after all reactions ran. */
async function outcome<Value>(promise: Promise<Value>): Promise<'waits' | 'refused' | Value> {
  const waiting = new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')));
  return await Promise.race([promise.catch(() => 'refused' as const), waiting]);
}

test('H1: memory is given until it is used up, and again when it comes back', async () => {
  const { host, rooms } = createTestHost();
  const first = await host.reserve('a', 60, never);
  expect(host.fits(20)).toBe(2);
  await expect(host.reserve('b', 60, never)).rejects.toSatisfy((error) => BerthError.is(error, 'out_of_capacity'));
  first.release();
  first.release();
  expect(rooms()).toBe(1);
  expect(host.fits(100)).toBe(1);
});

test('H2: idle instances are stopped, longest idle first, only when that makes enough room', async () => {
  const stopped: string[] = [];
  const held: Reservation[] = [];
  const idle = (name: string, memoryBytes: number, idleSinceMs: number): Reclaimable => ({
    memoryBytes,
    idleSinceMs,
    stop: () => stopped.push(name),
  });
  const { host } = createTestHost({ idle: () => [idle('young', 40, 9), idle('old', 40, 1)] });
  held.push(await host.reserve('a', 40, never), await host.reserve('b', 40, never));
  expect(await outcome(host.reserve('c', 101, never))).toBe('refused');
  expect(stopped).toEqual([]);
  const waiting = host.reserve('c', 50, never);
  expect(await outcome(waiting)).toBe('waits');
  expect(stopped).toEqual(['old']);
  held[0]?.releaseSoon();
  held[0]?.release();
  expect(await outcome(waiting)).toMatchObject({});
  expect(host.fits(10)).toBe(1);
});

test('H2: what is being stopped anyway is waited for, and nothing is stopped for it', async () => {
  const stopped: string[] = [];
  const { host } = createTestHost({
    idle: () => [{ memoryBytes: 50, idleSinceMs: 0, stop: () => stopped.push('x') }],
  });
  const leaving = await host.reserve('a', 100, never);
  leaving.releaseSoon();
  const waiting = host.reserve('b', 100, never);
  expect(await outcome(waiting)).toBe('waits');
  leaving.release();
  await waiting;
  expect(stopped).toEqual([]);
});

test('H3: the first that waits is served first, also by a small one that would fit', async () => {
  const { host } = createTestHost();
  const leaving = await host.reserve('a', 90, never);
  leaving.releaseSoon();
  const order: string[] = [];
  const large = host.reserve('b', 80, never).then(() => order.push('large'));
  const small = host.reserve('c', 10, never).then(() => order.push('small'));
  expect(order).toEqual([]);
  leaving.release();
  await Promise.all([large, small]);
  expect(order).toEqual(['large', 'small']);
});

test('one that stops waiting lets the next one through', async () => {
  const { host } = createTestHost();
  const leaving = await host.reserve('a', 50, never);
  leaving.releaseSoon();
  const abort = new AbortController();
  const large = host.reserve('b', 100, abort.signal);
  const small = host.reserve('c', 40, never);
  expect(await outcome(small)).toBe('refused');
  const next = host.reserve('c', 0, never);
  abort.abort(new Error('enough'));
  await expect(large).rejects.toThrow('enough');
  await next;
});

const turn = (host: Host) => host.startTurn(never);

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
