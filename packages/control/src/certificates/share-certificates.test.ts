import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestSealer } from '@berth/database/testing';
import { createSilentLogger } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createPausableClock, createSharedDatabase, type PausableClock } from '../cluster/testing/open-servers.ts';
import { shareCertificates } from './share-certificates.ts';

const LEASE_MS = 600;
const DIRECTORY = 'https://acme.example/directory';

async function createServers() {
  const database = await createSharedDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-certificates-'));
  const server = async (name: string, clock: PausableClock) => {
    const opened = await database.open();
    const state = { isOurs: false, reloads: 0 };
    const own = path.join(folder, name);
    const shared = shareCertificates({
      ...{ db: opened.db, clock, logger: createSilentLogger(), cluster: database.join(opened, clock) },
      ...{ sealer: createTestSealer(), folder: own, leaseMs: LEASE_MS },
      reload: async () => void state.reloads++,
      onTurn(isOurs) {
        state.isOurs = isOurs;
      },
    });
    return {
      ...{ shared, state, clock, db: opened.db, file: (host: string) => path.join(own, `${host}.pem`) },
      async close() {
        clock.resume();
        await shared.close();
        await opened.close();
      },
    };
  };
  const [a, b] = [await server('a', createPausableClock()), await server('b', createPausableClock())];
  return {
    ...{ a, b },
    async [Symbol.asyncDispose]() {
      await Promise.all([a.close(), b.close()]);
      await database[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// Fails when both servers order, when what a server obtained while it was alone is left to it, or when keys are stored in the clear.
test('one of two servers obtains certificates, and both have them', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  mkdirSync(path.dirname(a.file('old.example')), { recursive: true });
  writeFileSync(a.file('old.example'), 'key and chain from before');
  await a.shared.start();
  await waitUntil('A has the turn', () => a.state.isOurs);
  await b.shared.start();
  expect(readFileSync(b.file('old.example'), 'utf8')).toBe('key and chain from before');
  writeFileSync(a.file('new.example'), 'a new key and chain');
  await a.shared.add('new.example');
  await waitUntil('B has it', () => existsSync(b.file('new.example')));
  expect(readFileSync(b.file('new.example'), 'utf8')).toBe('a new key and chain');
  expect(statSync(b.file('new.example')).mode & 0o077).toBe(0);
  await waitUntil('B loads it', () => b.state.reloads >= 2);
  expect([a.state.isOurs, b.state.isOurs]).toEqual([true, false]);
  const rows = await b.db.selectFrom('certificates').selectAll().execute();
  expect(rows.map(({ name }) => name).sort()).toEqual(['new.example', 'old.example']);
  expect(JSON.stringify(rows)).not.toContain('chain');
});

// Fails when an answer or the account is in the memory or the folder of the server that orders.
test('any server answers a challenge, and knows the account', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  const withdraw = await a.shared.answers.offer('token', 'the answer');
  expect(await b.shared.answers.find('token')).toBe('the answer');
  await withdraw();
  expect(await b.shared.answers.find('token')).toBeUndefined();
  await a.shared.account(DIRECTORY).save('{"keyPem":"secret"}');
  expect(await b.shared.account(DIRECTORY).find()).toBe('{"keyPem":"secret"}');
  expect(await b.shared.account('https://other.example').find()).toBeUndefined();
  expect(JSON.stringify(await b.db.selectFrom('acme_accounts').selectAll().execute())).not.toContain('secret');
});

// Fails when the turn stays with a server that was paused, or that server can still write.
test('another server takes the turn of one that was paused, which can share nothing then', async () => {
  await using servers = await createServers();
  const { a, b } = servers;
  await a.shared.start();
  await waitUntil('A has the turn', () => a.state.isOurs);
  await b.shared.start();
  a.clock.pause();
  await waitUntil('B has the turn', () => b.state.isOurs);
  writeFileSync(a.file('late.example'), 'late');
  await expect(a.shared.add('late.example')).rejects.toThrow('another server');
  a.clock.resume();
  await waitUntil('A stops', () => !a.state.isOurs);
  expect(await b.db.selectFrom('certificates').select('name').execute()).toEqual([]);
});
