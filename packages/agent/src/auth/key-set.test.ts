import { setImmediate } from 'node:timers/promises';
import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import type { JSONWebKeySet } from 'jose';
import { expect, it } from 'vitest';
import { createKeySet } from './key-set.ts';
import { createTestIssuer } from './testing/create-test-issuer.ts';

// Fails when an instance that can't reach the platform logs each failed refresh as an error of the agent's, asks at every request, or
// says nothing when the provider goes away again.
it('keeps the keys that it was given while the provider can’t be reached, and says so once', async () => {
  const clock = createFakeClock();
  await using issuer = await createTestIssuer(clock);
  const [key] = issuer.keys;
  const initial: JSONWebKeySet = { keys: [...issuer.keys] };
  const lines: string[] = [];
  const provider = { isUp: false, asked: 0 };
  const load = async () => {
    provider.asked++;
    if (!provider.isUp) throw new Error('connect ECONNREFUSED');
    return initial;
  };
  const keys = createKeySet({ load, initial, clock, logger: createRecordingLogger(lines) });
  const find = async () => {
    expect(await keys.find({ alg: String(key?.alg ?? 'ES256'), kid: String(key?.kid) })).toBeDefined();
    await setImmediate();
  };
  const read = () => lines.map((line) => JSON.parse(line)).map(({ level, message }) => [level, message]);
  await find();
  expect(provider.asked).toBe(0);
  for (let minute = 0; minute < 15; minute++) {
    clock.advance(60_000);
    await find();
  }
  expect(provider.asked).toBe(3);
  const told = ['warn', expect.stringContaining("can't be reached: the keys from the start")];
  expect(read()).toEqual([told]);
  provider.isUp = true;
  clock.advance(300_000);
  await find();
  provider.isUp = false;
  clock.advance(300_000);
  await find();
  expect(read()).toEqual([told, told]);
});
