import { createSilentLogger, createSystemClock, type Timer } from '@berth/kit';
import { expect, test } from 'vitest';
import { createStandbys, type Standby, type StandbyPlan } from './standbys.ts';

/** Timers fire when they are told to. */
function createManualClock() {
  const due = new Set<() => void>();
  const setTimer = (_delayMs: number, callback: () => void): Timer => {
    due.add(callback);
    return { cancel: () => due.delete(callback) };
  };
  return {
    clock: { ...createSystemClock(), setTimer },
    async fire(): Promise<void> {
      for (const callback of due) callback();
      due.clear();
      // What the timers began has no event: it is over after a few turns of the loop.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function createFixture() {
  const artifacts = new Set<string>();
  const { clock, fire } = createManualClock();
  const standbys = createStandbys<StandbyPlan, Standby & { readonly name: string }>({
    delayMs: 1,
    isThere: (artifact) => artifacts.has(artifact),
    ...{ clock, logger: createSilentLogger() },
  });
  const living = new Set<string>();
  let isFresh = true;
  return {
    ...{ artifacts, fire, standbys, living },
    spoil: () => (isFresh = false),
    plan: (artifact: string, key: string, name = artifact): void => {
      artifacts.add(artifact);
      standbys.plan({ artifact, key }, async () => {
        living.add(name);
        const discard = async (): Promise<void> => void living.delete(name);
        return { artifact, key, name, isFresh: async () => isFresh, discard };
      });
    },
  };
}

test('is made after a start, and used up by the next one', async () => {
  const { fire, standbys, plan } = createFixture();
  const path = 'a';
  plan(path, 'key');
  expect(await standbys.take(path, 'key')).toBeUndefined();
  await fire();
  expect(await standbys.take(path, 'key')).toMatchObject({ name: 'a' });
  expect(await standbys.take(path, 'key')).toBeUndefined();
});

test('one for something else, or one that spoiled, is discarded', async () => {
  const { fire, standbys, plan, living, spoil } = createFixture();
  const path = 'a';
  plan(path, 'old environment');
  await fire();
  plan(path, 'new environment', 'b');
  await fire();
  expect([...living]).toEqual(['b']);
  expect(await standbys.take(path, 'other')).toBeUndefined();
  await fire();
  expect([...living]).toEqual([]);
  plan(path, 'key');
  await fire();
  spoil();
  expect(await standbys.take(path, 'key')).toBeUndefined();
  await fire();
  expect([...living]).toEqual([]);
});

test('many starts of an artifact make one, and it goes with the artifact', async () => {
  const { artifacts, fire, plan, living } = createFixture();
  const [a, b] = ['a', 'b'];
  for (const name of ['1', '2', '3']) plan(a, 'key', name);
  await fire();
  expect([...living]).toEqual(['3']);
  plan(a, 'key', '4');
  await fire();
  expect([...living]).toEqual(['3']);
  artifacts.delete(a);
  plan(b, 'key');
  await fire();
  expect([...living]).toEqual(['b']);
});

test('what is only planned can be dropped', async () => {
  const { fire, standbys, plan, living } = createFixture();
  const [a, b] = ['a', 'b'];
  for (const path of [a, b]) plan(path, 'key');
  await standbys.drop(({ artifact }) => artifact === a);
  await fire();
  expect([...living]).toEqual(['b']);
});

test('the longest unused go when there are too many, and all at the end', async () => {
  const { fire, standbys, plan, living } = createFixture();
  for (let i = 0; i < 66; i++) {
    plan(`artifact-${i}`, 'key', String(i));
    await fire();
  }
  expect(living.size).toBe(64);
  expect([living.has('0'), living.has('1'), living.has('2')]).toEqual([false, false, true]);
  plan('last', 'key', 'last');
  await standbys.close();
  await fire();
  expect([...living]).toEqual([]);
});
