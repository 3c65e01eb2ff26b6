import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppDataStore } from '../ports/app-data-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';

/** Runs the contract tests of an {@link AppDataStore}. `open` returns an empty store. */
export function describeAppDataStore(
  open: () => Promise<{ readonly store: AppDataStore; close(): Promise<void> }>,
): void {
  describe('app data store', () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let store: AppDataStore;
    let count = 0;
    /** A separate place for each test. */
    const place = (who = '') => ({ owner: 'ann' as OwnerKey, slug: `app-${count}`, who });
    const keys = (rows: readonly { readonly key: string }[]) => rows.map(({ key }) => key);

    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened?.close());

    const test = (name: string, run: () => Promise<void>) =>
      it(name, async () => {
        count++;
        await run();
      });

    test('reads back what was written, and counts the writes of the place', async () => {
      expect(await store.find(place(), 'a')).toBeUndefined();
      expect(await store.put(place(), 'a', '{"n":1}')).toEqual({ key: 'a', value: '{"n":1}', version: 1 });
      expect(await store.put(place(), 'b', '2')).toMatchObject({ version: 2 });
      expect(await store.put(place(), 'a', '3')).toMatchObject({ version: 3 });
      expect(await store.find(place(), 'a')).toEqual({ key: 'a', value: '3', version: 3 });
    });

    test('writes over the expected version only', async () => {
      const first = await store.put(place(), 'a', '1', 0);
      expect(first).toBeDefined();
      expect(await store.put(place(), 'a', '2', 0)).toBeUndefined();
      expect(await store.put(place(), 'a', '2', first!.version + 100)).toBeUndefined();
      expect(await store.find(place(), 'a')).toMatchObject({ value: '1' });
      expect(await store.put(place(), 'a', '2', first!.version)).toBeDefined();
      expect(await store.put(place(), 'missing', '1', first!.version)).toBeUndefined();
      expect(await store.find(place(), 'missing')).toBeUndefined();
    });

    test('never gives a version twice, so that a row made anew is not taken for the one before', async () => {
      const before = await store.put(place(), 'a', '1');
      await store.remove(place(), 'a');
      await store.put(place(), 'a', '1');
      expect(await store.put(place(), 'a', 'late', before!.version)).toBeUndefined();
    });

    test('lets one of many who write over the same version win', async () => {
      const { version } = (await store.put(place(), 'a', '0'))!;
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.put(place(), 'a', String(index), version)),
      );
      const winners = results.filter((row) => row !== undefined);
      expect(winners).toHaveLength(1);
      expect(await store.find(place(), 'a')).toEqual(winners[0]);
    });

    test('keeps owners, apps and people apart', async () => {
      await store.put(place(), 'a', '"shared"');
      await store.put(place('ann'), 'a', '"own"');
      const others = [
        { ...place(), owner: 'bob' as OwnerKey },
        { ...place(), slug: 'other' },
        { ...place(), who: 'bob' },
      ];
      for (const other of others) {
        expect(await store.find(other, 'a')).toBeUndefined();
        expect(await store.list(other, { prefix: '', limit: 9 })).toEqual([]);
        expect(await store.remove(other, 'a')).toBe(0);
        await store.removeApp('bob' as OwnerKey, place().slug);
      }
      expect(await store.find(place(), 'a')).toMatchObject({ value: '"shared"' });
      expect(await store.find(place('ann'), 'a')).toMatchObject({ value: '"own"' });
    });

    test('lists by the bytes of the keys, by prefix, from a row on', async () => {
      for (const key of ['b', 'a/2', 'a', 'a/1', 'é', 'Z', 'a%', '__proto__', 'a_b'])
        await store.put(place(), key, '0');
      const all = ['Z', '__proto__', 'a', 'a%', 'a/1', 'a/2', 'a_b', 'b', 'é'];
      expect(keys(await store.list(place(), { prefix: '', limit: 99 }))).toEqual(all);
      expect(keys(await store.list(place(), { prefix: 'a/', limit: 99 }))).toEqual(['a/1', 'a/2']);
      expect(keys(await store.list(place(), { prefix: 'a%', limit: 99 }))).toEqual(['a%']);
      expect(keys(await store.list(place(), { prefix: 'a_', limit: 99 }))).toEqual(['a_b']);
      const after = { key: 'a/1', who: '' };
      expect(keys(await store.list(place(), { prefix: '', after, limit: 2 }))).toEqual(['a/2', 'a_b']);
    });

    test("lists everybody's own rows, the shared ones left out", async () => {
      for (const who of ['', 'ann', 'bob']) await store.put(place(who), 'k', `"${who}"`);
      const everybody = { ...place(), who: undefined };
      const rows = await store.list(everybody, { prefix: '', limit: 9 });
      expect(rows.map(({ key, who }) => [key, who])).toEqual([
        ['k', 'ann'],
        ['k', 'bob'],
      ]);
      const rest = await store.list(everybody, { prefix: '', after: { key: 'k', who: 'ann' }, limit: 9 });
      expect(rest.map(({ who }) => who)).toEqual(['bob']);
    });

    test('removes a row, and with a slash all below it', async () => {
      for (const key of ['a', 'a/1', 'a/2/3', 'ab', 'a%/1']) await store.put(place(), key, '0');
      expect(await store.remove(place(), 'a/')).toBe(2);
      expect(await store.remove(place(), 'a/')).toBe(0);
      expect(keys(await store.list(place(), { prefix: '', limit: 9 }))).toEqual(['a', 'a%/1', 'ab']);
      expect(await store.remove(place(), 'a')).toBe(1);
    });

    test('moves the rows of an app, over what its new name has, and drops them', async () => {
      const { owner, slug } = place();
      const to = { ...place(), slug: `${slug} moved` };
      for (const key of ['a', 'b']) await store.put(place(), key, '"moved"');
      await store.put(place('ann'), 'a', '"own"');
      for (let write = 0; write < 9; write++) await store.put(to, 'b', '"before"');
      await store.put(to, 'c', '"before"');
      await store.moveApp(owner, slug, to.slug);
      expect(await store.list(place(), { prefix: '', limit: 9 })).toEqual([]);
      const rows = await store.list(to, { prefix: '', limit: 9 });
      expect(rows.map(({ key, value }) => [key, value])).toEqual([
        ['a', '"moved"'],
        ['b', '"moved"'],
        ['c', '"before"'],
      ]);
      expect(await store.find({ ...to, who: 'ann' }, 'a')).toMatchObject({ value: '"own"' });
      expect(await store.put(to, 'a', '1')).toMatchObject({ version: 11 });
      await store.removeApp(owner, to.slug);
      expect(await store.list(to, { prefix: '', limit: 9 })).toEqual([]);
      expect(await store.list({ ...to, who: undefined }, { prefix: '', limit: 9 })).toEqual([]);
    });
  });
}
