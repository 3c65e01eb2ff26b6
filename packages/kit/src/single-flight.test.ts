import { expect, it } from 'vitest';
import { createSingleFlight } from './single-flight.ts';

it('shares one running call per key until it ends', async () => {
  const flights = createSingleFlight<number>();
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  const work = async () => {
    await gate.promise;
    return ++calls;
  };
  const both = Promise.all([flights.run('a', work), flights.run('a', work)]);
  gate.resolve();
  expect(await both).toEqual([1, 1]);
  expect(await flights.run('a', work)).toBe(2);
});

// Fails when a failed call is kept: every later caller would get the same old error.
it('shares a failure with those who wait, and tries again for the next', async () => {
  const flights = createSingleFlight<string>();
  let calls = 0;
  const work = async () => {
    if (++calls === 1) throw new Error('away for a moment');
    return 'there';
  };
  const first = [flights.run('a', work), flights.run('a', work)];
  for (const one of first) await expect(one).rejects.toThrow('away for a moment');
  expect(calls).toBe(1);
  expect(await flights.run('a', work)).toBe('there');
});

it('does not make one key wait for another', async () => {
  const flights = createSingleFlight<string>();
  const never = flights.run('a', () => new Promise(() => {}));
  expect(await flights.run('b', async () => 'b')).toBe('b');
  expect(flights.run('a', async () => 'again')).toBe(flights.run('a', async () => 'and again'));
  void never;
});
