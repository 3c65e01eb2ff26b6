import { waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentStores } from '../ports/agent-stores.ts';

let count = 0;

/** Runs the contract tests of locks; each call of `open` returns another instance of the same agent. */
export function describeLocks(open: () => Promise<AgentStores>): void {
  describe('locks', () => {
    let instances: AgentStores[] = [];
    let key: string;
    beforeAll(async () => {
      instances = [await open(), await open()];
      key = `lock-${++count}`;
    });
    afterAll(() => Promise.all(instances.map(({ close }) => close())));
    const locksOf = (index: number) => (instances[index % instances.length] as AgentStores).locks;

    it('let one work of a key run at a time, whichever instance asks', async () => {
      let [running, most, done] = [0, 0, 0];
      const work = async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        return ++done;
      };
      const values = await Promise.all(Array.from({ length: 20 }, (_, index) => locksOf(index).alone(key, work)));
      expect(most).toBe(1);
      expect(values.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    });

    it('keep nobody else waiting, and are free again after a work that failed', async () => {
      const gate = Promise.withResolvers<void>();
      let isHeld = false;
      const held = locksOf(0).alone(key, () => {
        isHeld = true;
        return gate.promise;
      });
      await waitUntil('the first has it', () => isHeld);
      expect(await locksOf(1).alone(`${key}'`, async () => 'beside')).toBe('beside');
      let hasRun = false;
      const next = locksOf(1).alone(key, async () => {
        hasRun = true;
      });
      // The waiting work would run before this one if it could.
      await locksOf(1).alone(`${key}''`, async () => {});
      expect(hasRun).toBe(false);
      gate.reject(new Error('no room'));
      await expect(held).rejects.toThrow('no room');
      await next;
      expect(hasRun).toBe(true);
    });
  });
}
