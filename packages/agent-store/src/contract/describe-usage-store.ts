import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-fixture.ts';

/** Runs the contract tests of a `UsageStore`. */
export function describeUsageStore(fixture: () => StoreFixture): void {
  describe('usage store', () => {
    it('adds up by payer and period', async () => {
      const { stores, ann, bob } = fixture();
      const { usage } = stores;
      expect(await usage.find([ann, bob], '2026-11')).toEqual([
        { tokens: 0, costMicroUsd: 0 },
        { tokens: 0, costMicroUsd: 0 },
      ]);
      await usage.add([ann], '2026-11', { tokens: 10, costMicroUsd: 5 });
      expect(await usage.add([bob, ann], '2026-11', { tokens: 1, costMicroUsd: 2 })).toEqual([
        { tokens: 1, costMicroUsd: 2 },
        { tokens: 11, costMicroUsd: 7 },
      ]);
      await usage.add([ann], '2026-12', { tokens: 4, costMicroUsd: 0 });
      expect(await usage.find([ann], '2026-11')).toEqual([{ tokens: 11, costMicroUsd: 7 }]);
      expect(await usage.find([ann], '2026-12')).toEqual([{ tokens: 4, costMicroUsd: 0 }]);
      expect([await usage.add([], '2026-12', { tokens: 1, costMicroUsd: 1 }), await usage.find([], '2026-12')]).toEqual(
        [[], []],
      );
    });

    it('counts each of many calls at once', async () => {
      const { stores, ann, bob } = fixture();
      const calls = Array.from({ length: 20 }, () =>
        stores.usage.add([ann, bob], '2026-11', { tokens: 1, costMicroUsd: 3 }),
      );
      const totals = await Promise.all(calls);
      expect(totals.map(([first]) => first?.tokens).sort((a = 0, b = 0) => a - b)).toEqual(
        calls.map((_, index) => index + 1),
      );
      expect(await stores.usage.find([bob], '2026-11')).toEqual([{ tokens: 20, costMicroUsd: 60 }]);
    });
  });
}
