import { expect, test } from 'vitest';
import { createTargetFixture } from '../testing/service-fixture.ts';

const POLICY = { idleTimeoutMs: 120_000, suspendAfterMs: 10_000 };
const { signal } = new AbortController();

// Fails when Fleet.idle has held instances too, or letGo doesn't begin the idle time anew.
test('a held instance is neither suspended nor stopped; the time until that begins when it is let go', async () => {
  const fixture = createTargetFixture({}, { canSuspend: true, policy: POLICY });
  const holding = fixture.table.hold('hello', { signal });
  await fixture.clock.elapse(1_000);
  const held = await holding;
  const [instance] = fixture.runtime.instances;
  expect(held).toMatchObject({ instance: instance?.instanceId, revision: 'rev-1' });
  await fixture.clock.elapse(600_000);
  expect([instance?.isSuspended, instance?.stops]).toEqual([false, 0]);
  const billedMs = fixture.events.reduce((sum, event) => sum + (event.kind === 'billed' ? event.billableMs : 0), 0);
  expect(billedMs).toBeGreaterThan(590_000);
  held.release();
  held.release();
  await fixture.clock.elapse(9_000);
  expect(instance?.isSuspended).toBe(false);
  await fixture.clock.elapse(10_000);
  expect(instance?.isSuspended).toBe(true);
});

test('a suspended instance is resumed, and the same one is held by its id', async () => {
  const fixture = createTargetFixture({}, { canSuspend: true, policy: POLICY });
  const starting = fixture.table.hold('hello', { signal });
  await fixture.clock.elapse(1_000);
  (await starting).release();
  await fixture.clock.elapse(30_000);
  const [instance] = fixture.runtime.instances;
  expect(instance?.isSuspended).toBe(true);
  const held = await fixture.table.hold('hello', { signal, instance: instance?.instanceId });
  expect([held.instance, instance?.isSuspended]).toEqual([instance?.instanceId, false]);
});

test('an unknown deployment and an unknown instance are not found; a client that has left gets its reason', async () => {
  const fixture = createTargetFixture({});
  for (const [name, instance] of [
    ['other', undefined],
    ['hello', 'inst_9'],
  ] as const) {
    await expect(fixture.table.hold(name, { signal, instance })).rejects.toMatchObject({ code: 'not_found' });
  }
  const left = new AbortController();
  const holding = fixture.table.hold('hello', { signal: left.signal });
  left.abort(new Error('left'));
  await expect(holding).rejects.toThrow('left');
});
