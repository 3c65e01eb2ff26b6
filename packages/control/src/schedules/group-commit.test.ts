import { expect, test } from 'vitest';
import { createGroupCommit } from './group-commit.ts';

test('commits together what came while another commit was under way, and answers each its own', async () => {
  const batches: number[][] = [];
  const add = createGroupCommit(async (items: readonly number[]) => {
    batches.push([...items]);
    await new Promise((resolve) => setImmediate(resolve));
    return items.map((item) => item * 10);
  });
  expect(await Promise.all(Array.from({ length: 300 }, (_value, index) => add(index)))).toEqual(
    Array.from({ length: 300 }, (_value, index) => index * 10),
  );
  expect(batches.map((batch) => batch.length)).toEqual([1, 200, 99]);
  expect(await add(7)).toBe(70);
});

test('a commit that fails fails its items alone', async () => {
  const add = createGroupCommit(async (items: readonly number[]) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (items.includes(1)) throw new Error('the disk is full');
    return items;
  });
  const results = await Promise.allSettled([add(1), add(2), add(3)]);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(await add(4)).toBe(4);
});
