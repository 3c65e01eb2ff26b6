import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Timer } from '@berth/kit';
import { expect, test } from 'vitest';
import { logger, clock as systemClock } from '../testing/machine.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createStandbys, type Standby } from './standbys.ts';

/** Timers fire when they are told to. */
function createManualClock() {
  const due = new Set<() => void>();
  const setTimer = (_delayMs: number, callback: () => void): Timer => {
    due.add(callback);
    return { cancel: () => due.delete(callback) };
  };
  return {
    clock: { ...systemClock, setTimer },
    async fire(): Promise<void> {
      for (const callback of due) callback();
      due.clear();
      // What the timers began has no event: it is over after a few turns of the loop.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

async function createFixture() {
  const folder = await createTemporaryFolder();
  const { clock, fire } = createManualClock();
  const standbys = createStandbys<Standby & { readonly name: string }>({ delayMs: 1, clock, logger });
  const living = new Set<string>();
  let isFresh = true;
  return {
    ...{ folder, fire, standbys, living },
    spoil: () => (isFresh = false),
    makeArtifact: async (name: string): Promise<string> => {
      await mkdir(join(folder.path, name));
      return join(folder.path, name);
    },
    plan: (artifactPath: string, key: string, name = artifactPath.slice(-1)): void =>
      standbys.plan({ artifactPath, identity: undefined, key }, async () => {
        living.add(name);
        const discard = async (): Promise<void> => void living.delete(name);
        return { artifactPath, identity: undefined, key, name, isFresh: async () => isFresh, discard };
      }),
  };
}

test('is made after a start, and used up by the next one', async () => {
  const { folder, fire, standbys, plan, makeArtifact } = await createFixture();
  await using _ = folder;
  const path = await makeArtifact('a');
  plan(path, 'key');
  expect(await standbys.take(path, 'key')).toBeUndefined();
  await fire();
  expect(await standbys.take(path, 'key')).toMatchObject({ name: 'a' });
  expect(await standbys.take(path, 'key')).toBeUndefined();
});

test('one for something else, or one that spoiled, is discarded', async () => {
  const { folder, fire, standbys, plan, makeArtifact, living, spoil } = await createFixture();
  await using _ = folder;
  const path = await makeArtifact('a');
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
  const { folder, fire, plan, makeArtifact, living } = await createFixture();
  await using _ = folder;
  const [a, b] = [await makeArtifact('a'), await makeArtifact('b')];
  for (const name of ['1', '2', '3']) plan(a, 'key', name);
  await fire();
  expect([...living]).toEqual(['3']);
  plan(a, 'key', '4');
  await fire();
  expect([...living]).toEqual(['3']);
  await rm(a, { recursive: true });
  plan(b, 'key');
  await fire();
  expect([...living]).toEqual(['b']);
});

test('what is only planned can be dropped', async () => {
  const { folder, fire, standbys, plan, makeArtifact, living } = await createFixture();
  await using _ = folder;
  const [a, b] = [await makeArtifact('a'), await makeArtifact('b')];
  for (const path of [a, b]) plan(path, 'key');
  await standbys.drop(({ artifactPath }) => artifactPath === a);
  await fire();
  expect([...living]).toEqual(['b']);
});

test('the longest unused go when there are too many, and all at the end', async () => {
  const { folder, fire, standbys, plan, makeArtifact, living } = await createFixture();
  await using _ = folder;
  for (let i = 0; i < 66; i++) {
    plan(await makeArtifact(`artifact-${i}`), 'key', String(i));
    await fire();
  }
  expect(living.size).toBe(64);
  expect([living.has('0'), living.has('1'), living.has('2')]).toEqual([false, false, true]);
  plan(await makeArtifact('last'), 'key', 'last');
  await standbys.close();
  await fire();
  expect([...living]).toEqual([]);
});
