import { type ConnectorCallStore, ownerKey } from '@berth/agent-store';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createCallAllowance } from './create-call-allowance.ts';

/** What several instances share, and how often they ask it. */
function createSharedCounts() {
  let window = { beganAtMs: 0, calls: 0 };
  const seen = { counts: 0 };
  const store: ConnectorCallStore = {
    async count(_owner, _connector, { calls, nowMs, windowMs }) {
      seen.counts++;
      const isOver = nowMs - window.beganAtMs >= windowMs;
      window = isOver ? { beganAtMs: nowMs, calls } : { ...window, calls: window.calls + calls };
      return window;
    },
  };
  return { store, seen };
}

const ann = ownerKey({ id: 'ann' });
const taken = async (calls: readonly Promise<void>[]) =>
  (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;

test('240 in a minute, counted a few at once', async () => {
  const { store, seen } = createSharedCounts();
  const clock = createFakeClock();
  const allowance = createCallAllowance(store, clock);
  for (let call = 0; call < 240; call++) await allowance.take(ann, 'crm');
  expect(seen.counts).toBeLessThan(70);
  await expect(allowance.take(ann, 'crm')).rejects.toMatchObject({
    code: 'too_many_requests',
    details: { retryAfterSeconds: 60 },
  });
  clock.advance(59_999);
  await expect(allowance.take(ann, 'crm')).rejects.toMatchObject({ details: { retryAfterSeconds: 1 } });
  const { counts } = seen;
  clock.advance(1);
  await allowance.take(ann, 'crm');
  expect(seen.counts).toBe(counts + 1);
});

test('several instances that are asked in turn, or at once, end at the same number', async () => {
  const { store } = createSharedCounts();
  const clock = createFakeClock();
  const instances = [1, 2, 3].map(() => createCallAllowance(store, clock));
  const takeAll = (calls: number) =>
    taken(
      Array.from({ length: calls }, (_, index) => (instances[index % 3] as (typeof instances)[0]).take(ann, 'crm')),
    );
  expect(await takeAll(300)).toBe(240);
  clock.advance(60_000);
  let made = 0;
  for (let round = 0; round < 100; round++) made += await takeAll(3);
  expect(made).toBe(240);
  // One that is not asked again keeps a few from the others.
  clock.advance(60_000);
  await takeAll(30);
  const [first] = instances as [(typeof instances)[0]];
  const rest = await taken(Array.from({ length: 240 }, () => first.take(ann, 'crm')));
  expect(30 + rest).toBeGreaterThan(240 - 2 * 20);
  expect(30 + rest).toBeLessThanOrEqual(240);
});
