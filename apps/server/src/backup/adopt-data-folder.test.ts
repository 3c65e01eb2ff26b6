import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '@berth/database';
import { createRecordingLogger } from '@berth/testkit';
import { expect, test } from 'vitest';
import { findOrigin, RESTORED_NAME } from '../data-folder/data-place.ts';
import { adoptDataFolder } from './adopt-data-folder.ts';

/** A data folder with a database and a work root beside it; `adopt` is what a start does with them. */
async function setup() {
  const root = mkdtempSync(path.join(tmpdir(), 'berth-adopt-'));
  const [data, workRoot] = [path.join(root, 'data'), path.join(root, 'work')];
  mkdirSync(data);
  mkdirSync(workRoot);
  const { db, close } = await openDatabase({ file: path.join(data, 'berth.db') });
  await db
    .insertInto('accounts')
    .values({ id: 'acc', name: 'acc', plan: 'p', is_operator: 0, created_at: 0 })
    .execute();
  const lines: string[] = [];
  const adopted: (readonly [deployment: string, formerFolder: string | undefined])[] = [];
  const broken = new Set<string>();
  const fixture = {
    root,
    data,
    workRoot,
    db,
    lines,
    adopted,
    broken,
    write(name: string, content = 'content') {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), content);
    },
    restoredFrom: (formerRoot: string) =>
      fixture.write(`data/${RESTORED_NAME}`, JSON.stringify({ work_root: formerRoot })),
    async addRevision(deployment: string, artifact: object | null) {
      const times = { created_at: 0, updated_at: 0 };
      await db
        .insertInto('deployments')
        .values({
          ...times,
          name: deployment,
          account_id: 'acc',
          status: 'ready',
          settings: null,
          current_revision: null,
          environment_version: 0,
        })
        .execute();
      await db
        .insertInto('revisions')
        .values({
          account_id: 'acc',
          deployment,
          number: 1,
          revision: `${deployment}-1`,
          status: 'ready',
          settings: '{}',
          artifact: artifact && JSON.stringify(artifact),
          digest: null,
          environment_version: 0,
          deploy_id: 'd',
          served_until: null,
          created_at: 0,
        })
        .execute();
    },
    adopt: () =>
      adoptDataFolder({
        db,
        workRoot,
        folders: { data, origin: findOrigin(data) },
        logger: createRecordingLogger(lines),
        builder: {
          async adopt(artifact, formerFolder) {
            const [, deployment = ''] = artifact.kind === 'folder' ? artifact.path.split('/') : [];
            if (broken.has(deployment)) throw new Error('its folder is not there');
            adopted.push([deployment, formerFolder]);
          },
        },
      }),
    async [Symbol.asyncDispose]() {
      await close();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return fixture;
}

const folder = (deployment: string) => ({ kind: 'folder', path: `acc/${deployment}/r1`, command: ['a'], env: {} });

// Fails when the first failure ends the loop: one lost artifact would keep every other service, and the server, down.
test('an artifact that is gone keeps neither the others nor the server from starting', async () => {
  await using fixture = await setup();
  for (const name of ['one', 'two', 'three']) await fixture.addRevision(name, folder(name));
  await fixture.addRevision('never-built', null);
  fixture.broken.add('two');
  fixture.restoredFrom('/old/work');
  await fixture.adopt();
  expect(fixture.adopted).toEqual([
    ['one', '/old/work/artifacts'],
    ['three', '/old/work/artifacts'],
  ]);
  const warnings = fixture.lines.filter((line) => line.includes('"level":"warn"'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('"deployment":"two"');
  expect(existsSync(path.join(fixture.data, RESTORED_NAME))).toBe(false);
});

// Fails when the path of an archive is left as it is: the deploy that the next start resumes would find no source.
test('the archives of unfinished deploys follow to the new work root, and those elsewhere stay', async () => {
  await using fixture = await setup();
  const { db, workRoot } = fixture;
  const archives = {
    queued: '/old/work/archives/a.tar.gz',
    elsewhere: '/srv/volume/b.tar.gz',
    beside: '/old/work-2/archives/c.tar.gz',
  };
  let number = 0;
  for (const [id, file] of Object.entries(archives)) {
    await db
      .insertInto('deploys')
      .values({
        id,
        account_id: 'acc',
        deployment: 'app',
        number: ++number,
        kind: 'deploy',
        actor_kind: null,
        actor_id: null,
        step: 'queued',
        settings: null,
        archive: JSON.stringify({ path: file, sizeBytes: 3, sha256: 'x' }),
        target_revision: null,
        changes: null,
        revision: null,
        lease_owner: null,
        lease_expires_at: null,
        attempts: 0,
        is_cancel_requested: 0,
        released_at: null,
        code: null,
        last_seq: 0,
        created_at: 0,
        updated_at: 0,
        ended_at: null,
      })
      .execute();
  }
  fixture.restoredFrom('/old/work');
  await fixture.adopt();
  const rows = await db.selectFrom('deploys').select(['id', 'archive']).execute();
  expect(Object.fromEntries(rows.map(({ id, archive }) => [id, JSON.parse(archive ?? '')]))).toEqual({
    queued: { path: path.join(workRoot, 'archives/a.tar.gz'), sizeBytes: 3, sha256: 'x' },
    elsewhere: { path: archives.elsewhere, sizeBytes: 3, sha256: 'x' },
    beside: { path: archives.beside, sizeBytes: 3, sha256: 'x' },
  });
});

// Fails when the folders are looked at one by one, each just before its move: the sentence would be untrue.
test('when files are in the way of any part, nothing at all is moved', async () => {
  await using fixture = await setup();
  const { data, workRoot } = fixture;
  fixture.restoredFrom('/old/work');
  fixture.write('data/work/volumes/v');
  fixture.write('data/work/artifacts/a');
  fixture.write('work/artifacts/of-another');
  await expect(fixture.adopt()).rejects.toThrow(`${workRoot}/artifacts, which is not empty. Nothing was changed.`);
  expect(readdirSync(path.join(data, 'work')).sort()).toEqual(['artifacts', 'volumes']);
  expect(readdirSync(path.join(data, 'work/volumes'))).toEqual(['v']);
  expect(findOrigin(data).kind).toBe('restored');
  // The next start, with the files out of the way, takes all of it over.
  rmSync(path.join(workRoot, 'artifacts'), { recursive: true });
  await fixture.adopt();
  expect(readdirSync(path.join(workRoot, 'volumes'))).toEqual(['v']);
  expect(readdirSync(path.join(workRoot, 'artifacts'))).toEqual(['a']);
  expect(findOrigin(data)).toMatchObject({ kind: 'stayed', workRoot });
});

// Fails when the place is written before the artifacts are taken over: a kill in between would leave them unusable.
test('a start that breaks off is repeated whole by the next one', async () => {
  await using fixture = await setup();
  await fixture.addRevision('app', folder('app'));
  fixture.restoredFrom('/old/work');
  fixture.write('data/work/volumes/v');
  const { db } = fixture;
  await db.schema.alterTable('deploys').renameTo('deploys_away').execute();
  await expect(fixture.adopt()).rejects.toThrow();
  expect(findOrigin(fixture.data).kind).toBe('restored');
  await db.schema.alterTable('deploys_away').renameTo('deploys').execute();
  await fixture.adopt();
  expect(fixture.adopted).toEqual([['app', '/old/work/artifacts']]);
  expect(readFileSync(path.join(fixture.workRoot, 'volumes/v'), 'utf8')).toBe('content');
  expect(findOrigin(fixture.data).kind).toBe('stayed');
});

// Fails when a folder that was only used here is touched: each start would take every artifact over again.
test('a folder that stayed is left alone', async () => {
  await using fixture = await setup();
  await fixture.addRevision('app', folder('app'));
  await fixture.adopt();
  const place = readFileSync(path.join(fixture.data, 'place.json'), 'utf8');
  await fixture.adopt();
  expect(fixture.adopted).toEqual([]);
  expect(fixture.lines).toEqual([]);
  expect(readFileSync(path.join(fixture.data, 'place.json'), 'utf8')).toBe(place);
});
