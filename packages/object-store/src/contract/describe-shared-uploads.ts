import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import type { ObjectStore, PartialUploads } from '../object-store.ts';

/** Longer than a server that is gone keeps an upload. */
const GONE_MS = 21_000;

const body = (content: string | Buffer) => Readable.from([Buffer.from(content)]);

/**
 * Resumable uploads of several servers.
 * @param open returns a store with its own state in memory. All that it returns have the same place.
 */
export function describeSharedUploads(name: string, open: (clock: Clock) => Promise<ObjectStore>): void {
  const openTwo = async () => {
    const clocks = [createFakeClock(Date.now()), createFakeClock(Date.now())] as const;
    const stores = await Promise.all(clocks.map(open));
    const place = { account: 'acc_1', storageId: `vol.${crypto.randomUUID()}` };
    const [one, two] = stores.map(({ uploads }) => uploads) as [PartialUploads, PartialUploads];
    const read = async (path: string) => {
      await using object = await stores[1]?.open(place, path);
      return object && (await buffer(object.read()));
    };
    const elapse = async (ms: number) => clocks[1].advance(ms);
    return { one, two, place, read, elapse, close: () => Promise.all(stores.map((store) => store.close())) };
  };

  describe(`${name}: uploads of two servers`, () => {
    test('one that begins on one server continues on the other, and either finishes it', async () => {
      const { one, two, place, read, close } = await openTwo();
      // More than a part of S3, in pieces that are none.
      const content = Buffer.from(Array.from({ length: 20_000_000 }, (_, index) => (index * 7) % 251));
      const { id } = await one.begin(place, 'a/b', content.length);
      let offset = 0;
      for (const [index, length] of [3_000_000, 9_000_000, 1, 7_999_999].entries()) {
        const server = index % 2 === 0 ? two : one;
        expect((await server.find(id))?.offset).toBe(offset);
        ({ offset } = await server.append(id, offset, body(content.subarray(offset, offset + length))));
      }
      expect(offset).toBe(content.length);
      await two.finish(id);
      expect((await read('a/b'))?.equals(content)).toBe(true);
      expect(await one.find(id)).toBeUndefined();
      await expect(one.finish(id)).rejects.toMatchObject({ code: 'not_found' });
      await close();
    });

    test('an empty one becomes an empty object', async () => {
      const { one, two, place, read, close } = await openTwo();
      const { id } = await one.begin(place, 'empty', 0);
      await two.append(id, 0, body(''));
      expect((await two.finish(id)).object.sizeBytes).toBe(0);
      expect((await read('empty'))?.length).toBe(0);
      await close();
    });

    // Fails when only the requests of one process exclude each other.
    test('of two servers that write at once one is refused', async () => {
      const { one, two, place, close } = await openTwo();
      const { id } = await one.begin(place, 'x', 100);
      const results = await Promise.allSettled([one.append(id, 0, body('a')), two.append(id, 0, body('b'))]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(results.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
      expect((await two.find(id))?.offset).toBe(1);
      await close();
    });

    // Fails without the takeover (the upload would be stuck for a day), and when who was taken over can still write.
    test('a server that is gone is taken over, and can change nothing when it comes back', async () => {
      const { one, two, place, read, elapse, close } = await openTwo();
      const { id } = await one.begin(place, 'x', 6);
      await one.append(id, 0, body('ab'));
      const gate = Promise.withResolvers<void>();
      const arrived = Promise.withResolvers<void>();
      const chunks = async function* () {
        yield Buffer.from('c');
        arrived.resolve();
        await gate.promise;
        yield Buffer.from('XYZ');
      };
      const paused = one.append(id, 2, Readable.from(chunks()));
      paused.catch(() => {});
      await arrived.promise;
      for (const refused of [() => two.append(id, 2, body('zz')), () => two.finish(id), () => two.abort(id)]) {
        await expect(refused()).rejects.toMatchObject({ code: 'conflict' });
      }
      await elapse(GONE_MS);
      const { offset = 0 } = (await two.find(id)) ?? {};
      expect([2, 3]).toContain(offset);
      await two.append(id, offset, body('cdef'.slice(offset - 2)));
      gate.resolve();
      await expect(paused).rejects.toMatchObject({ code: 'conflict' });
      expect((await one.find(id))?.offset).toBe(6);
      await two.finish(id);
      expect(String(await read('x'))).toBe('abcdef');
      await close();
    });

    test('what one server begins the other gives up', async () => {
      const { one, two, place, close } = await openTwo();
      const { id } = await one.begin(place, 'x', 9);
      await one.append(id, 0, body('abc'));
      await two.abort(id);
      expect(await one.find(id)).toBeUndefined();
      await expect(one.append(id, 3, body('d'))).rejects.toMatchObject({ code: 'not_found' });
      await close();
    });
  });
}
