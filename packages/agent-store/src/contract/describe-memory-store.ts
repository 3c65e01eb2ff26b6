import { describe, expect, it } from 'vitest';
import type { StoredMemory } from '../ports/memory-store.ts';
import { NOW_MS, type StoreFixture } from './store-fixture.ts';

const memoryOf = (id: string, createdAtMs = NOW_MS): StoredMemory => ({
  ...{ id, text: `text of ${id}`, by: 'agent', createdAtMs, updatedAtMs: createdAtMs },
});

/** Runs the contract tests of a `MemoryStore`. */
export function describeMemoryStore(fixture: () => StoreFixture): void {
  describe('memory store', () => {
    it('keeps what was added, oldest first, changes it and removes it', async () => {
      const { stores, ann } = fixture();
      const { memories } = stores;
      await memories.add(ann, memoryOf('b', NOW_MS + 1), 9);
      await memories.add(ann, memoryOf('z'), 9);
      expect(await memories.list(ann)).toEqual([memoryOf('z'), memoryOf('b', NOW_MS + 1)]);
      const change = { text: 'new', by: 'user', updatedAtMs: NOW_MS + 5 } as const;
      expect(await memories.update(ann, 'z', change)).toEqual({ ...memoryOf('z'), ...change });
      expect(await memories.list(ann)).toMatchObject([change, { id: 'b', text: 'text of b' }]);
      expect([await memories.remove(ann, 'b'), await memories.remove(ann, 'b')]).toEqual([1, 0]);
      expect(await memories.remove(ann)).toBe(1);
      expect(await memories.list(ann)).toEqual([]);
    });

    it('adds nothing above the limit', async () => {
      const { stores, ann, bob } = fixture();
      const { memories } = stores;
      expect([await memories.add(ann, memoryOf('a'), 1), await memories.add(ann, memoryOf('b'), 1)]).toEqual([
        true,
        false,
      ]);
      expect(await memories.add(bob, memoryOf('a'), 1)).toBe(true);
      expect(await memories.list(ann)).toHaveLength(1);
    });

    it('keeps owners apart', async () => {
      const { stores, ann, bob } = fixture();
      const { memories } = stores;
      await memories.add(ann, memoryOf('a'), 9);
      expect(await memories.list(bob)).toEqual([]);
      expect(await memories.update(bob, 'a', { text: 'x', by: 'user', updatedAtMs: 1 })).toBeUndefined();
      expect([await memories.remove(bob, 'a'), await memories.remove(bob)]).toEqual([0, 0]);
      expect(await memories.list(ann)).toEqual([memoryOf('a')]);
    });
  });
}
