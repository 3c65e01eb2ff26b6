import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoreFixture } from './store-fixture.ts';

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Listing: an order that pages can be cut from, whatever the names are. */
export function describeListing(open: () => Promise<StoreFixture>): void {
  // "-" and "." come before the slash, "0" after it; the last two are in another order in UTF-16 than in UTF-8.
  const tree = ['a', 'b-c', 'b.c', 'b/a', 'b/b/c', 'b0', 'c/x', 'ü', '\uffee', '\u{1f600}'];

  test('objects come in the order of the bytes of their paths', async () => {
    const { put, paths } = await open();
    for (const path of [...tree].reverse()) await put(path, path);
    expect(await paths()).toEqual([...tree].sort(byBytes));
  });

  test('pages follow each other without a gap or a double, whatever their size', async () => {
    const { store, place, put } = await open();
    for (const path of tree) await put(path, path);
    for (const limit of [1, 2, 3, tree.length, tree.length + 1]) {
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const { objects, isTruncated } = await store.list(place, { limit, after });
        expect(objects.length).toBeLessThanOrEqual(limit);
        seen.push(...objects.map(({ path }) => path));
        after = seen.at(-1);
        if (!isTruncated) break;
      }
      expect(seen).toEqual([...tree].sort(byBytes));
    }
  });

  test('a page may begin after what is not there any more', async () => {
    const { put, paths } = await open();
    for (const path of ['a', 'c/d', 'e']) await put(path, path);
    expect(await paths({ after: 'b' })).toEqual(['c/d', 'e']);
    expect(await paths({ after: 'c' })).toEqual(['c/d', 'e']);
    expect(await paths({ after: 'c/a/b' })).toEqual(['c/d', 'e']);
    expect(await paths({ after: 'c/d/x' })).toEqual(['e']);
    expect(await paths({ after: 'zzz' })).toEqual([]);
  });

  test.each([
    ['b', ['b-c', 'b.c', 'b/a', 'b/b/c', 'b0']],
    ['b/', ['b/a', 'b/b/c']],
    ['b/b', ['b/b/c']],
    ['b/b/', ['b/b/c']],
    ['b/b/c', ['b/b/c']],
    ['b/b/c/', []],
    ['x', []],
    ['../', []],
    ['/', []],
  ])('a prefix is of the path, not of folders: %s', async (prefix, expected) => {
    const { put, paths } = await open();
    for (const path of tree) await put(path, path);
    expect(await paths({ prefix })).toEqual(expected);
    expect(await paths({ prefix, after: 'b/a' })).toEqual(expected.filter((path) => byBytes(path, 'b/a') > 0));
  });

  test('a folder lists its own children, without what their folders hold, in pages of any size', async () => {
    const { store, place, put } = await open();
    const deep = ['d/\u{10ffff}\u{10ffff}', 'd/\u{10ffff}x', `e/${'x'.repeat(80)}/y`, 'e0'];
    for (const path of [...tree, ...deep]) await put(path, path);
    const read = async (prefix: string | undefined, limit: number) => {
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const { objects, folders, isTruncated } = await store.listFolder(place, { prefix, limit, after });
        const page = [...objects.map(({ path }) => path), ...folders].sort(byBytes);
        expect(page.length).toBeLessThanOrEqual(limit);
        seen.push(...page);
        if (!isTruncated) return seen;
        after = page.at(-1);
      }
    };
    for (const limit of [1, 2, 3, 100]) {
      const top = ['a', 'b-c', 'b.c', 'b/', 'b0', 'c/', 'd/', 'e/', 'e0', 'ü', '\uffee', '\u{1f600}'];
      expect(await read(undefined, limit)).toEqual(top);
      expect(await read('b', limit)).toEqual(['b-c', 'b.c', 'b/', 'b0']);
      expect(await read('b/', limit)).toEqual(['b/a', 'b/b/']);
      expect(await read('b/b', limit)).toEqual(['b/b/']);
      expect(await read('d/', limit)).toEqual(['d/\u{10ffff}x', 'd/\u{10ffff}\u{10ffff}']);
      expect(await read('e/', limit)).toEqual([`e/${'x'.repeat(80)}/`]);
      expect(await read('../', limit)).toEqual([]);
    }
  });

  test('any tree, prefix and start give what sorting all paths would', async () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '0', 'é'), minLength: 1, maxLength: 2 });
    const usable = name.filter((text) => text !== '.' && text !== '..');
    const path = fc.array(usable, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { maxLength: 8 }),
        path,
        fc.constantFrom('', 'a', 'a/', '-'),
        fc.boolean(),
        async (wanted, after, prefix, hasAfter) => {
          const { put, paths } = await open();
          // A path can't be an object and lead to others.
          const kept = [...new Set(wanted)].filter((one) => !wanted.some((other) => other.startsWith(`${one}/`)));
          for (const one of kept) await put(one, one);
          const expected = kept.filter((one) => one.startsWith(prefix) && (!hasAfter || byBytes(one, after) > 0));
          expect(await paths({ prefix, ...(hasAfter ? { after } : {}) })).toEqual(expected.sort(byBytes));
        },
      ),
      { numRuns: 40 },
    );
  });
}
