import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openDatabase, resealSecrets, variableContext } from '@berth/database';
import { openTestDatabase } from '@berth/database/testing';
import { createSystemClock } from '@berth/kit';
import { findPostgres, NO_POSTGRES, startPostgres } from '@berth/postgres/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { masterKeyId } from '../data-folder/master-key.ts';
import { createSealers, openPlatformSecrets, requireOwnKey } from '../data-folder/platform-secrets.ts';
import { rotateKey } from './rotate-key.ts';

const PROGRAM = path.join(import.meta.dirname, 'rotate-key-main.ts');
const clock = createSystemClock();
const makeKey = () => randomBytes(32).toString('hex');
const idOf = (key: string) => masterKeyId(Buffer.from(key, 'hex'));

let data: string;
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'berth-rotate-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

type Place = Awaited<ReturnType<typeof openDatabase>>;

const settingsOf = (masterKey?: string, isFirstRun = false) => ({
  config: { masterKey, masterKeyFile: undefined, masterKeyCommand: undefined, databaseUrl: undefined },
  folders: { data, isFirstRun, origin: { kind: 'stayed', workRoot: undefined, wasOutside: false } as const },
  environment: {},
});
/** A server that has these keys, or those of the file. */
async function serverWith({ db }: Place, masterKey?: string) {
  const secrets = await openPlatformSecrets(settingsOf(masterKey));
  return { secrets, sealers: createSealers(secrets), check: () => requireOwnKey(db, secrets, clock) };
}
const rotate = ({ db }: Place, isKnownToAll: boolean, masterKey?: string) =>
  rotateKey({ ...settingsOf(masterKey), db, clock, isKnownToAll });

/** Stores variables, sealed as a server does. */
async function seal({ db }: Place, { sealers }: Awaited<ReturnType<typeof serverWith>>, keys: readonly string[]) {
  await db.transaction().execute(async (transaction) => {
    const box = await sealers.environment.current(transaction);
    for (const key of keys) {
      const row = { account_id: 'acc', deployment: 'shop', key, since_version: 1, until_version: null, created_at: 1 };
      const sealed_value = box.seal(`value of ${key}`, variableContext('acc', 'shop', key));
      await transaction
        .insertInto('environment_variables')
        .values({ ...row, sealed_value })
        .execute();
    }
  });
}
async function addDeployment({ db }: Place) {
  const account = { id: 'acc', name: 'acme', plan: 'free', is_operator: 1, created_at: 1 };
  await db.insertInto('accounts').values(account).execute();
  const none = { settings: null, current_revision: null, last_deploy: null, environment_version: 1 };
  const times = { created_at: 1, updated_at: 1 };
  await db
    .insertInto('deployments')
    .values({ ...none, ...times, name: 'shop', account_id: 'acc', status: 'reserved' })
    .execute();
}
const rowsOf = ({ db }: Place) => db.selectFrom('environment_variables').select(['key', 'sealed_value']).execute();
async function expectReadable(place: Place, { sealers }: Awaited<ReturnType<typeof serverWith>>) {
  for (const { key, sealed_value } of await rowsOf(place)) {
    expect(sealers.environment.open(sealed_value, variableContext('acc', 'shop', key))).toBe(`value of ${key}`);
  }
}

describe('a rotation of keys that the operator keeps', () => {
  it('seals nothing with a key that others may not know, then everything', async () => {
    const place = await openTestDatabase(path.join(data, 'berth.db'));
    await addDeployment(place);
    const [old, next] = [makeKey(), makeKey()];
    const before = await serverWith(place, old);
    await before.check();
    await seal(place, before, ['A', 'B']);
    await expect(rotate(place, false, old)).rejects.toThrow('BERTH_MASTER_KEY has no new key');

    expect(await rotate(place, false, `${next},${old}`)).toMatchObject({ kind: 'added', key: idOf(next) });
    await seal(place, await serverWith(place, `${next},${old}`), ['C']);
    await expectReadable(place, before);

    // Two servers whose rings have another order.
    const [one, other] = [await serverWith(place, `${next},${old}`), await serverWith(place, `${old},${next}`)];
    expect(await rotate(place, true, `${old},${next}`)).toMatchObject({
      ...{ kind: 'rotated', key: idOf(next), sealed: 3, former: [idOf(old)] },
    });
    await seal(place, one, ['D']);
    await seal(place, other, ['E']);
    for (const server of [one, other]) await expectReadable(place, server);
    const last = await serverWith(place, next);
    await last.check();
    await expectReadable(place, last);
    expect((await rowsOf(place)).map(({ key }) => key)).toEqual(['A', 'B', 'C', 'D', 'E']);

    // A server that was not told neither starts nor seals.
    await expect(before.check()).rejects.toThrow('is not the key of this database');
    await expect(seal(place, before, ['F'])).rejects.toThrow(`doesn't have the master key ${idOf(next)}`);
    await place.close();
  });

  it('refuses to choose among several new keys', async () => {
    const place = await openTestDatabase(path.join(data, 'berth.db'));
    const old = makeKey();
    await (await serverWith(place, old)).check();
    await expect(rotate(place, true, `${old},${makeKey()},${makeKey()}`)).rejects.toThrow('several new master keys');
    await place.close();
  });
});

it('a rotation of the key in the data folder adds a key, and makes it the first when it seals', async () => {
  const place = await openTestDatabase(path.join(data, 'berth.db'));
  const { place: file } = await openPlatformSecrets(settingsOf(undefined, true));
  const keys = () => readFileSync(file, 'utf8').trim().split('\n');
  const [old] = keys();
  const added = await rotate(place, false);
  expect(added).toMatchObject({ kind: 'added', place: file });
  expect(keys()[0]).toBe(old);
  // Fails when a repeated run adds another key.
  expect(await rotate(place, false)).toEqual(added);
  expect(await rotate(place, true)).toMatchObject({ kind: 'rotated', key: added.key });
  expect(keys()).toEqual([expect.any(String), old]);
  expect(idOf(keys()[0] as string)).toBe(added.key);
  await place.close();
});

// Fails when progress is kept anywhere but in the secrets, or a batch is not one transaction.
it('goes on after a kill -9', { timeout: 120_000 }, async () => {
  const file = path.join(data, 'berth.db');
  const place = await openDatabase({ file });
  await addDeployment(place);
  await openPlatformSecrets(settingsOf(undefined, true));
  const before = await serverWith(place);
  await before.check();
  await seal(
    place,
    before,
    Array.from({ length: 3_000 }, (_, index) => `KEY_${index}`),
  );
  await place.close();

  const start = () => spawn(process.execPath, [PROGRAM, data], { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
  const linesOf = (child: ChildProcess) => createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  const killed = start();
  const ended = once(killed, 'exit');
  await once(linesOf(killed), 'line');
  killed.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');

  const half = await openDatabase({ file });
  const prefixes = new Set((await rowsOf(half)).map(({ sealed_value }) => sealed_value.split('.')[1]));
  expect(prefixes.size).toBe(2);
  await expectReadable(half, await serverWith(half));
  await half.close();

  const again = start();
  const lines = await Array.fromAsync(linesOf(again));
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ kind: 'rotated', former: [expect.any(String)] });
  const after = await openDatabase({ file });
  const [key] = readFileSync(path.join(data, 'master.key'), 'utf8').split('\n');
  const last = await serverWith(after, key);
  await last.check();
  await expectReadable(after, last);
  expect(await resealSecrets({ db: after.db, sealers: last.sealers })).toBe(0);
  await after.close();
});

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);

describe.skipIf(!programs)(programs ? 'on Postgres' : `on Postgres: ${NO_POSTGRES}`, () => {
  // Fails when a server remembers which key seals: what it stores after the rotation can't be opened without the former key.
  it('a server that was sealing while the key was rotated seals with the new one', async () => {
    const postgres = await startPostgres(programs as string);
    await using stack = new AsyncDisposableStack();
    stack.defer(() => postgres.close());
    const [place, slow] = await Promise.all([openDatabase({ url: postgres.url }), openDatabase({ url: postgres.url })]);
    for (const { close } of [place, slow]) stack.defer(close);
    await addDeployment(place);
    const [old, next] = [makeKey(), makeKey()];
    await (await serverWith(place, old)).check();
    const ring = `${old},${next}`;
    const server = await serverWith(place, ring);
    await seal(place, server, ['A']);

    const [began, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let tries = 0;
    const sealing = slow.db.transaction().execute(async (transaction) => {
      tries++;
      const box = await server.sealers.environment.current(transaction);
      began.resolve();
      await goOn.promise;
      const sealed_value = box.seal('value of B', variableContext('acc', 'shop', 'B'));
      const row = {
        account_id: 'acc',
        deployment: 'shop',
        key: 'B',
        since_version: 1,
        until_version: null,
        created_at: 1,
      };
      await transaction
        .insertInto('environment_variables')
        .values({ ...row, sealed_value })
        .execute();
    });
    await began.promise;
    expect(await rotate(place, true, ring)).toMatchObject({ kind: 'rotated', sealed: 1 });
    goOn.resolve();
    await sealing;
    expect(tries).toBe(2);
    const last = await serverWith(place, next);
    await last.check();
    expect(await rowsOf(place)).toHaveLength(2);
    await expectReadable(place, last);
  });
});
