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
