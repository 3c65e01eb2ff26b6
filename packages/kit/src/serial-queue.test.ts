import { expect, it } from 'vitest';
import { createDeferred } from './deferred.ts';
import { createSerialQueue } from './serial-queue.ts';

it('runs one task at a time, in order, also after one that failed', async () => {
  const queue = createSerialQueue();
  const gate = createDeferred();
  const order: string[] = [];
  const first = queue.run(async () => {
    await gate.promise;
    order.push('first');
    throw new Error('no');
  });
  const second = queue.run(async () => order.push('second'));
  expect(queue.size).toBe(2);
  gate.resolve();
  await expect(first).rejects.toThrow('no');
  await second;
  expect(order).toEqual(['first', 'second']);
  expect(queue.size).toBe(0);
});
