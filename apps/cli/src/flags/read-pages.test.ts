import { expect, test } from 'vitest';
import { UsageError } from '../errors/usage-error.ts';
import { readLimit, readPages } from './read-pages.ts';

/** A list of the numbers below `total` as an API serves it; tokens are the next number. */
function serve(total: number) {
  const asked: (readonly [limit: number, token: string | undefined])[] = [];
  const read = async (limit: number, token: string | undefined) => {
    asked.push([limit, token]);
    const start = Number(token ?? 0);
    const end = Math.min(total, start + limit);
    const items = Array.from({ length: end - start }, (_, index) => start + index);
    return [items, end < total ? String(end) : null] as const;
  };
  return { asked, read };
}

test('pages are read up to the limit, and the last one is no larger than what is left', async () => {
  const { asked, read } = serve(10);
  expect(await readPages(5, 2, read)).toEqual([0, 1, 2, 3, 4]);
  // Fails when every page is asked for in full.
  expect(asked).toEqual([
    [2, undefined],
    [2, '2'],
    [1, '4'],
  ]);
});

test('the list ends where the server says so', async () => {
  const { asked, read } = serve(3);
  // Fails when the end of the list is not obeyed: the first page would be read again.
  expect(await readPages(100, 2, read)).toEqual([0, 1, 2]);
  expect(asked).toHaveLength(2);
});

test('a limit is a whole number from 1 up', () => {
  expect([readLimit(undefined, 20), readLimit('7', 20)]).toEqual([20, 7]);
  for (const text of ['0', '-1', '1.5', 'all', '']) expect(() => readLimit(text, 20), text).toThrow(UsageError);
});
