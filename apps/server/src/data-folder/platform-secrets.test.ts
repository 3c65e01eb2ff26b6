import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTestDatabase } from '@berth/database/testing';
import { createSystemClock } from '@berth/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSealers, openPlatformSecrets, requireOwnKey } from './platform-secrets.ts';

let root: string;
let data: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'berth-secrets-'));
  data = mkdtempSync(path.join(root, 'data-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const NOTHING = { masterKey: undefined, masterKeyFile: undefined, masterKeyCommand: undefined, databaseUrl: undefined };
const clock = createSystemClock();
const makeKey = () => randomBytes(32).toString('hex');

interface Opened {
  readonly folder?: string;
  readonly isFirstRun?: boolean;
  readonly kind?: 'stayed' | 'restored';
  readonly environment?: Readonly<Record<string, string>>;
}

function open(settings: Partial<typeof NOTHING | Record<string, unknown>> = {}, options: Opened = {}) {
  const {
    folder = data,
    isFirstRun = true,
    kind = 'stayed',
    environment = { PATH: process.env['PATH'] ?? '' },
  } = options;
  const origin = { kind, workRoot: undefined, wasOutside: false };
  const config = { ...NOTHING, ...settings } as typeof NOTHING;
  return openPlatformSecrets({ config, folders: { data: folder, isFirstRun, origin }, environment });
}

describe('the master key in the data folder', () => {
  it('is made once, private, and yields the same keys again', async () => {
    const first = await open();
    const file = path.join(data, 'master.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await open()).toEqual(first);
    expect(first.environmentKeys[0]).toHaveLength(32);
    expect(first.cookieKey).not.toEqual(first.environmentKeys[0]);
    expect(readFileSync(file, 'utf8')).not.toContain(first.sessionSecrets[0]);
  });

  it('is not replaced when it is damaged, or missing after the first start', async () => {
    writeFileSync(path.join(data, 'master.key'), 'abc');
    await expect(open()).rejects.toThrow(/damaged/);
    rmSync(path.join(data, 'master.key'));
    await expect(open({}, { isFirstRun: false })).rejects.toThrow(/master\.key is missing/);
  });
});

describe('the id of a server', () => {
  // Fails when the id comes from the master key alone: on one engine each server ends the containers of the other.
  it('belongs to the data folder, not to the key', async () => {
    const original = await open();
    const other = mkdtempSync(path.join(root, 'other-'));
    cpSync(path.join(data, 'master.key'), path.join(other, 'master.key'));
    const joined = await open({}, { folder: other });
    expect(joined).toEqual({
      ...original,
      place: expect.any(String),
      serverId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(joined.serverId).not.toBe(original.serverId);
    expect((await open({}, { folder: other, isFirstRun: false })).serverId).toBe(joined.serverId);
  });

  it('stays for a folder of an older version, and is another for a restored one', async () => {
    await open();
    rmSync(path.join(data, 'server-id'));
    const older = await open({}, { isFirstRun: false });
    expect(await open({}, { isFirstRun: false })).toEqual(older);
    expect(existsSync(path.join(data, 'server-id'))).toBe(false);
    const restored = await open({}, { isFirstRun: false, kind: 'restored' });
    expect(restored.serverId).not.toBe(older.serverId);
    writeFileSync(path.join(data, 'server-id'), 'abc');
    await expect(open({}, { isFirstRun: false })).rejects.toThrow(/server-id is damaged/);
  });
});

describe('a master key from elsewhere', () => {
  it('is read from a variable, a file or a command, and is never written to the data folder', async () => {
    const key = makeKey();
    const file = path.join(root, 'mounted');
    writeFileSync(file, `${key}\n`);
    const sources = [
      { masterKey: key },
      { masterKeyFile: file },
      { masterKeyCommand: ['cat', file] },
      { masterKey: Buffer.from(key, 'hex').toString('base64') },
    ];
    const opened = await Promise.all(sources.map((source) => open(source)));
    expect(new Set(opened.map(({ masterKeyIds }) => masterKeyIds.join())).size).toBe(1);
    expect(existsSync(path.join(data, 'master.key'))).toBe(false);
  });

  it('may be several keys, the first of which signs', async () => {
    const [one, two] = [makeKey(), makeKey()];
    const both = await open({ masterKey: `${one}, ${two}` });
    const swapped = await open({ masterKey: `${two}\n${one}\n` });
    expect(both.masterKeyIds).toEqual(swapped.masterKeyIds.toReversed());
    expect(both.cookieKey).toEqual((await open({ masterKey: one })).cookieKey);
  });

  it('runs the command without a shell and without the variables of Berth', async () => {
    const key = makeKey();
    const program = path.join(root, 'kms');
    writeFileSync(program, `#!/bin/sh\n[ -z "$BERTH_DATABASE_URL" ] && [ "$1" = 'a; exit 3' ] && echo ${key}\n`);
    chmodSync(program, 0o700);
    const environment = { PATH: process.env['PATH'] ?? '', BERTH_DATABASE_URL: 'postgres://secret' };
    const { masterKeyIds } = await open({ masterKeyCommand: [program, 'a; exit 3'] }, { environment });
    expect(masterKeyIds).toHaveLength(1);
  });

  // Fails when the error of the command goes out as it is: it has the output, with the key.
  it('is in no error', async () => {
    const key = makeKey();
    const program = path.join(root, 'kms');
    writeFileSync(program, `#!/bin/sh\necho ${key}\necho ${key} >&2\nexit 7\n`);
    chmodSync(program, 0o700);
    const faults = [
      { masterKeyCommand: [program] },
      { masterKeyCommand: [path.join(root, 'none')] },
      { masterKey: key.slice(1) },
      { masterKey: `${key} ${key.slice(2)}` },
      { masterKeyFile: path.join(root, 'none') },
      { masterKeyFile: root },
    ];
    const errors = await Promise.all(
      faults.map((fault) =>
        open(fault).then(
          () => undefined,
          (error: Error) => error,
        ),
      ),
    );
    expect(errors.map((error) => error?.message)).toEqual([
      expect.stringContaining('BERTH_MASTER_KEY_COMMAND ended with code 7'),
      expect.stringContaining('BERTH_MASTER_KEY_COMMAND failed (ENOENT)'),
      expect.stringContaining('BERTH_MASTER_KEY is damaged'),
      expect.stringContaining('BERTH_MASTER_KEY is damaged'),
      expect.stringContaining("doesn't exist"),
      expect.stringContaining('is a folder, not a file'),
    ]);
    for (const error of errors) expect(JSON.stringify([error, error?.cause, error?.stack])).not.toContain(key.slice(2));
  });
});

describe('the key of a database', () => {
  const sealed = async (file: string, masterKey: string) => {
    const secrets = await open({ masterKey });
    const opened = await openTestDatabase(file);
    return { ...opened, secrets, sealers: createSealers(secrets) };
  };

  it('is the first that was used, and another one is refused', async () => {
    const file = path.join(root, 'berth.db');
    const [own, other] = [makeKey(), makeKey()];
    const { db, secrets, sealers, close } = await sealed(file, own);
    await requireOwnKey(db, secrets, clock);
    await requireOwnKey(db, secrets, clock);
    // Fails without the row: nothing is sealed yet that the other key couldn't open.
    await expect(requireOwnKey(db, await open({ masterKey: other }), clock)).rejects.toThrow(
      'BERTH_MASTER_KEY is not the key of this database',
    );
    // Fails when the order of the ring decides: two servers would seal with two keys.
    const ring = await open({ masterKey: `${other},${own}` });
    await requireOwnKey(db, ring, clock);
    const box = await createSealers(ring).environment.current(db);
    expect(sealers.environment.open(box.seal('text', ['a']), ['a'])).toBe('text');
    await close();
  });

  it('is told from the sealed rows in a database of an older version', async () => {
    const file = path.join(root, 'berth.db');
    const { db, sealers, close } = await sealed(file, makeKey());
    const box = await sealers.identity.current(db);
    const row = {
      kid: 'a',
      public_jwk: '{}',
      sealed_private_key: box.seal('pem', ['identity key', 'a']),
      signs_from: 0,
    };
    await db.insertInto('identity_keys').values(row).execute();
    await expect(requireOwnKey(db, await open({ masterKey: makeKey() }), clock)).rejects.toThrow('is not the key');
    expect(await db.selectFrom('sealing_keys').selectAll().execute()).toEqual([]);
    await close();
  });
});
