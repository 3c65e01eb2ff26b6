import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { openDatabase } from '@berth/database';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { extract } from 'tar-stream';
import { expect, test } from 'vitest';
import { findOrigin, writePlace } from '../data-folder/data-place.ts';
import { adoptDataFolder } from './adopt-data-folder.ts';
import { copyDatabase, createBackups } from './create-backups.ts';

async function setup() {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-backup-'));
  const data = path.join(folder, 'data');
  const workRoot = path.join(folder, 'work');
  mkdirSync(data);
  const database = path.join(data, 'berth.db');
  const { db, close } = await openDatabase({ file: database });
  const write = (name: string, content: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  };
  const backups = createBackups({
    folders: { data, database },
    workRoot,
    version: '1.2.3',
    hasVolumes: true,
    hasMasterKey: true,
    buckets: [],
    databaseUrl: undefined,
    clock: createFakeClock(),
    logger: createSilentLogger(),
  });
  return {
    folder,
    data,
    workRoot,
    database,
    db,
    write,
    backups,
    async [Symbol.asyncDispose]() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function entriesOf(bytes: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const tar = extract();
  tar.end(zstdDecompressSync(bytes));
  for await (const entry of tar) {
    const { name, type, linkname, size } = entry.header;
    found[name] = type === 'file' ? `${size}` : type === 'symlink' ? `-> ${linkname}` : type;
    entry.resume();
  }
  return found;
}

const account = (id: string) => ({ id, name: id, plan: 'p', is_operator: 0, created_at: 0 });

test('a backup is what is kept, and follows no link', async () => {
  await using fixture = await setup();
  fixture.write('data/master.key', 'key');
  fixture.write('data/certificates/one.pem', 'pem');
  fixture.write('data/runtime/running/1', 'of this process');
  fixture.write('data/server.lock', '');
  fixture.write('work/volumes/acc/v.1/deep/file.txt', 'hello');
  fixture.write('work/volumes/.uploads/1', 'half');
  fixture.write('work/artifacts/acc/app/r1/server.js', 'x');
  fixture.write('work/cache/npm', 'cache');
  symlinkSync('/etc', path.join(fixture.workRoot, 'volumes/acc/v.1/link'));
  const entries = await entriesOf(await buffer(await fixture.backups.create()));
  expect(Object.keys(entries)[0]).toBe('berth-backup.json');
  expect(Object.keys(entries).at(-1)).toBe('./');
  expect(entries).toMatchObject({
    'data/master.key': '3',
    'data/certificates/one.pem': '3',
    'work/volumes/acc/v.1/deep/file.txt': '5',
    'work/volumes/acc/v.1/link': '-> /etc',
    'work/artifacts/acc/app/r1/server.js': '1',
    'data/berth.db': expect.stringMatching(/^\d{4,}$/),
  });
  expect(Object.keys(entries).filter((name) => /cache|lock|running|uploads|link\//.test(name))).toEqual([]);
  await expect.poll(() => readdirSync(fixture.data)).not.toContain('backup.db');
});

test('one is made at a time; one that nobody reads to its end makes room for the next', async () => {
  await using fixture = await setup();
  fixture.write('work/volumes/acc/v/big', 'x'.repeat(20_000_000));
  const first = await fixture.backups.create();
  await expect(fixture.backups.create()).rejects.toMatchObject({ code: 'conflict' });
  first.on('error', () => {});
  first.destroy();
  await expect
    .poll(() =>
      fixture.backups.create().then(
        (next) => buffer(next),
        () => undefined,
      ),
    )
    .toBeDefined();
});

test('the copy of a database that is written to is of one moment', async () => {
  await using fixture = await setup();
  let isWriting = true;
  const writing = (async () => {
    for (let index = 0; isWriting; index++) {
      await setImmediate();
      await fixture.db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('accounts')
          .values(account(`a${index}`))
          .execute();
        await transaction
          .insertInto('accounts')
          .values(account(`b${index}`))
          .execute();
      });
    }
  })();
  const copy = path.join(fixture.folder, 'copy.db');
  await copyDatabase(fixture.database, copy);
  isWriting = false;
  await writing;
  const { db, close } = await openDatabase({ file: copy });
  const ids = (await db.selectFrom('accounts').select('id').execute()).map((row) => row.id);
  await close();
  expect(ids.filter((id) => id.startsWith('a')).length).toBe(ids.filter((id) => id.startsWith('b')).length);
});

/** A revision as earlier servers stored it, with an absolute path. */
async function insertRevision({ db }: Awaited<ReturnType<typeof setup>>, artifact: object): Promise<void> {
  await db.insertInto('accounts').values(account('acc')).execute();
  const times = { created_at: 0, updated_at: 0 };
  const deployment = {
    name: 'app',
    account_id: 'acc',
    status: 'ready',
    settings: null,
    current_revision: null,
  } as const;
  await db
    .insertInto('deployments')
    .values({ ...deployment, ...times, environment_version: 0 })
    .execute();
  const revision = { account_id: 'acc', deployment: 'app', number: 1, revision: 'r1', status: 'ready' } as const;
  await db
    .insertInto('revisions')
    .values({
      ...revision,
      settings: '{}',
      artifact: JSON.stringify(artifact),
      digest: null,
      environment_version: 0,
      deploy_id: 'd',
      served_until: null,
      created_at: 0,
    })
    .execute();
}

test('what was restored is moved to where the server keeps it, and nothing that stayed', async () => {
  await using fixture = await setup();
  const { db, data, workRoot } = fixture;
  const adopted: unknown[] = [];
  const adopt = () =>
    adoptDataFolder({
      db,
      workRoot,
      logger: createSilentLogger(),
      folders: { data, origin: findOrigin(data) },
      builder: { adopt: async (...given) => void adopted.push(given) },
    });
  const artifact = { kind: 'folder', path: path.join(workRoot, 'artifacts/acc/app/r1'), command: ['a'], env: {} };
  await insertRevision(fixture, artifact);
  const stored = async () =>
    JSON.parse((await db.selectFrom('revisions').select('artifact').executeTakeFirstOrThrow()).artifact ?? '');
  fixture.write('data/work/volumes/acc/v/file', 'hello');
  await adopt();
  const relative = { ...artifact, path: 'acc/app/r1' };
  expect(await stored()).toEqual(relative);
  expect(adopted).toEqual([]);
  expect(findOrigin(data)).toEqual({ kind: 'stayed', workRoot, wasOutside: true });

  fixture.write('data/restored.json', '{"work_root":"/old/work"}');
  await adopt();
  expect(adopted).toEqual([[relative, '/old/work/artifacts']]);
  expect(readdirSync(path.join(workRoot, 'volumes/acc/v'))).toEqual(['file']);
  expect(readdirSync(data)).not.toContain('restored.json');
  await adopt();
  expect(adopted).toHaveLength(1);
});

// Fails when the original or the draft is removed before the other one is whole.
test('a move over file systems that was killed is ended, or begun again', async () => {
  await using fixture = await setup();
  const { db, data, workRoot } = fixture;
  const adopt = () =>
    adoptDataFolder({
      db,
      workRoot,
      logger: createSilentLogger(),
      builder: { adopt: async () => {} },
      folders: { data, origin: findOrigin(data) },
    });
  const volumes = () => readdirSync(workRoot).concat(readdirSync(path.join(workRoot, 'volumes')));
  // Killed while it copied.
  fixture.write('data/restored.json', '{"work_root":"/old/work"}');
  fixture.write('data/work/volumes/one', 'whole');
  fixture.write('work/volumes.moving/part', 'half');
  await adopt();
  expect(volumes()).toEqual(['volumes', 'one']);
  // Killed while it removed the original.
  fixture.write('data/restored.json', '{"work_root":"/old/work"}');
  renameSync(path.join(workRoot, 'volumes'), path.join(workRoot, 'volumes.moving'));
  fixture.write('data/work/volumes.moved/rest', 'half');
  await adopt();
  expect(volumes()).toEqual(['volumes', 'one']);
  expect(readdirSync(path.join(data, 'work'))).toEqual([]);
  // Files of someone else.
  fixture.write('data/restored.json', '{"work_root":"/old/work"}');
  fixture.write('data/work/volumes/other', 'whole');
  await expect(adopt()).rejects.toThrow(`${workRoot}/volumes, which is not empty`);
  expect(volumes()).toEqual(['volumes', 'one']);
});

test('a copy without the files of its services is refused', async () => {
  await using fixture = await setup();
  const { db, data, folder, workRoot } = fixture;
  writePlace(data, workRoot);
  const copy = path.join(folder, 'copy');
  cpSync(data, copy, { recursive: true });
  const options = { db, workRoot: path.join(copy, 'work'), logger: createSilentLogger() };
  const builder = { adopt: async () => {} };
  const adopt = () => adoptDataFolder({ ...options, builder, folders: { data: copy, origin: findOrigin(copy) } });
  await expect(adopt()).rejects.toThrow(`which are in ${workRoot}`);
  rmSync(data, { recursive: true });
  fixture.write('work/volumes/acc/v/file', 'hello');
  await adopt();
  expect(readdirSync(path.join(copy, 'work/volumes/acc/v'))).toEqual(['file']);
});
