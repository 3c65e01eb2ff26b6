import { expect, test } from 'vitest';
import { forEachConcurrently } from './for-each-concurrently.ts';

async function* count(to: number, taken: number[] = []): AsyncGenerator<number> {
  for (let item = 1; item <= to; item++) {
    taken.push(item);
    yield item;
  }
}

test('processes all items with limited concurrency, without reading ahead', async () => {
  const taken: number[] = [];
  const done: number[] = [];
  let [running, peak] = [0, 0];
  await forEachConcurrently(count(20, taken), { concurrency: 3 }, async (item) => {
    peak = Math.max(peak, ++running);
    expect(taken.length - done.length).toBeLessThanOrEqual(3);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    done.push(item);
  });
  expect(peak).toBe(3);
  expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_value, index) => index + 1));
});

test('the first failure stops the others and is thrown', async () => {
  const taken: number[] = [];
  const stopped: number[] = [];
  const work = async (item: number, signal: AbortSignal) => {
    if (item === 2) throw new Error('the second');
    await new Promise<void>((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        stopped.push(item);
        reject(new Error('another'));
      }),
    );
  };
  await expect(forEachConcurrently(count(10, taken), { concurrency: 3 }, work)).rejects.toThrow('the second');
  expect(stopped).toContain(1);
  expect(taken.length).toBeLessThan(5);
});

test('a failure of the iterator is thrown', async () => {
  async function* broken(): AsyncGenerator<number> {
    yield 1;
    throw new Error('the list broke off');
  }
  await expect(forEachConcurrently(broken(), { concurrency: 2 }, async () => {})).rejects.toThrow('the list broke off');
});

test('an aborted call reads no more items and throws the reason', async () => {
  const giveUp = new AbortController();
  const taken: number[] = [];
  const run = forEachConcurrently(count(10, taken), { concurrency: 1, signal: giveUp.signal }, async () =>
    giveUp.abort(new Error('enough')),
  );
  await expect(run).rejects.toThrow('enough');
  expect(taken).toEqual([1]);
});
