import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestSealer, openTestDatabase } from '@berth/database/testing';
import { createFakeClock } from '@berth/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createIdentityKeys, type KeyNotices } from './identity-keys.ts';

/** The keys of two servers on one database. */
async function createServers() {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-identity-keys-'));
  const { db, close } = await openTestDatabase(path.join(folder, 'berth.sqlite'));
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });
  const emitter = new EventEmitter();
  const notices: KeyNotices = {
    publish: async (channel) => void emitter.emit(channel),
    subscribe(channel, listener) {
      emitter.on(channel, listener);
      return () => void emitter.off(channel, listener);
    },
  };
  const clock = createFakeClock();
  const { nowMs } = clock;
  // Each look at the clock is a millisecond later.
  clock.nowMs = () => {
    clock.advance(1);
    return nowMs();
  };
  const server = () => createIdentityKeys({ db, sealer: createTestSealer(), clock, notices });
  return { db, one: server(), other: server() };
}

// Fails when each server makes a first key: tokens of one would be refused by the other until its cache ends.
test('servers that start together make one key, and sign with it', async () => {
  const { db, one, other } = await createServers();
  const keys = await Promise.all([one.signingKey(), other.signingKey()]);
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(1);
  expect(await db.selectFrom('identity_keys').select('kid').execute()).toHaveLength(1);
});

// Fails when the moment is taken before the key is made: the first token of a platform is then an internal error.
test('the first key signs the token that it was made for', async () => {
  const { one } = await createServers();
  expect((await one.signingKey()).kid).toBeTruthy();
});

// Fails when another server accepts leaked keys until its cache ends.
test('keys that one server replaces are replaced on the other at once', async () => {
  const { one, other } = await createServers();
  const before = (await other.publicKeys()).map(({ kid }) => kid);
  await one.replaceAll();
  const after = (await other.publicKeys()).map(({ kid }) => kid);
  expect(after).toEqual((await one.publicKeys()).map(({ kid }) => kid));
  expect(after).not.toEqual(before);
});
