import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CopySource, certificateContext, openDatabase } from '@berth/database';
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '@berth/database/testing';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lockDataFolder } from '../data-folder/data-folder-lock.ts';
import { writePlace } from '../data-folder/data-place.ts';
import { createMasterKey, writeMasterKeys } from '../data-folder/master-key.ts';
import { MOVED_NAME, readMovedMark } from '../data-folder/moved-mark.ts';
import { preparePlatformFolders } from '../data-folder/platform-folders.ts';
import { createSealers, openPlatformSecrets } from '../data-folder/platform-secrets.ts';
import { type MovePlatformOptions, movePlatform } from './move-platform.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);
const logger = createSilentLogger();
const clock = createSystemClock();
const SETTINGS = JSON.stringify({ port: 8080, cpu: 1, memoryBytes: 2 ** 28, timeoutSeconds: 60, volumes: [] });
const PROGRAM = { command: ['node', 'server.js'], env: {}, sharedFolders: ['node_modules'] };

describe.skipIf(!programs)(programs ? 'a move of a platform' : `a move of a platform: ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  let url: string;
  let folder: string;
  let data: string;
  let databases = 0;
  beforeAll(async () => {
    server = await startPostgres(programs as string);
  });
  afterAll(() => server?.close());
  const createDatabase = async () => {
    const name = `platform_${++databases}`;
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return server.url.replace('/postgres?', `/${name}?`);
  };
  beforeEach(async () => {
    url = await createDatabase();
    folder = mkdtempSync(path.join(tmpdir(), 'move-'));
    data = path.join(folder, 'data');
    mkdirSync(path.join(data, 'work/artifacts'), { recursive: true });
    writePlace(data, path.join(data, 'work'));
    writeMasterKeys(path.join(data, 'master.key'), [createMasterKey()]);
    return () => rmSync(folder, { recursive: true });
  });

  /** Fills the platform's database with deployments, each with a revision of an artifact that serves. */
  const fill = async (place: CopySource, artifacts: Readonly<Record<string, Artifact>>) => {
    const { db, close } = await openDatabase(place);
    await db
      .insertInto('accounts')
      .values({ id: 'acc', name: 'acme', plan: 'free', is_operator: 1, created_at: 1 })
      .execute();
    for (const [name, artifact] of Object.entries(artifacts)) {
      const revision = `${name}-00001-abc`;
      const of = { account_id: 'acc', settings: SETTINGS, environment_version: 0, created_at: 1 };
      await db
        .insertInto('deployments')
        .values({ ...of, name, status: 'ready', current_revision: revision, last_deploy: null, updated_at: 1 })
        .execute();
      await db
        .insertInto('revisions')
        .values({
          ...{ ...of, deployment: name, number: 1, revision, status: 'ready', artifact: JSON.stringify(artifact) },
          ...{ digest: null, required_env: null, deploy_id: 'dpl', served_until: null },
        })
        .execute();
    }
    await close();
  };
  const folderArtifact = (name: string): Artifact => ({
    ...{ kind: 'folder', path: `acc/${name}/${name}-00001-abc`, ...PROGRAM },
  });
  const build = (name: string) => {
    const place = path.join(data, 'work/artifacts/acc', name, `${name}-00001-abc`);
    mkdirSync(path.join(place, 'node_modules/x'), { recursive: true });
    for (const file of ['server.js', 'node_modules/x/index.js']) writeFileSync(path.join(place, file), file);
  };
  const move = (step: MovePlatformOptions['step'], more: Readonly<Record<string, string>> = {}) =>
    movePlatform({
      ...{ dataFolder: data, step, clock, logger, signal: new AbortController().signal },
      environment: { BERTH_DATABASE_URL: url, BERTH_SHARED_FOLDER: path.join(folder, 'shared'), ...more },
      ...{ onProgress: () => {}, onAdapted: () => {} },
    });
  const inTarget = async <Value>(read: (db: Awaited<ReturnType<typeof openDatabase>>['db']) => Promise<Value>) => {
    const { db, close } = await openDatabase({ url });
    return read(db).finally(close);
  };

  test('tells what becomes of each deployment, and why', async () => {
    const file = path.join(data, 'berth.db');
    const image = (reference: string): Artifact => ({ kind: 'image', reference, name: 'berth/acc/x:1' });
    await fill(
      { file },
      {
        ...{ built: folderArtifact('built'), gone: folderArtifact('gone') },
        ...{ local: image('sha256:1'), pushed: image('registry.example.com/berth/acc/pushed@sha256:2') },
      },
    );
    build('built');
    const registry = { BERTH_REGISTRY: 'https://registry.example.com/berth' };
    const plan = await move('plan', { ...registry, DOCKER_HOST: 'unix:///nonexistent/docker.sock' });
    expect(plan?.deployments.map(({ name, becomes, reason, files }) => [name, becomes, reason, files])).toEqual([
      ['built', 'rebuilt', null, 1],
      ['gone', 'unable', expect.stringContaining('not on this machine'), 0],
      ['local', 'unable', expect.stringContaining('container engine'), 0],
      ['pushed', 'kept', null, 0],
    ]);
    const without = await move('plan');
    expect(without?.deployments.find(({ name }) => name === 'local')?.reason).toContain('BERTH_REGISTRY');
    expect(existsSync(path.join(data, 'move.db'))).toBe(false);
  });

  // Fails when a platform on Postgres is copied over itself, or a server could start on it while it is switched.
  test.each(['the same', 'another'])('goes from Postgres to %s Postgres database', async (which) => {
    const from = which === 'another' ? await createDatabase() : url;
    await fill({ url: from }, { shop: folderArtifact('shop') });
    writeFileSync(path.join(data, 'postgres'), '');
    build('shop');
    if (which === 'another') await expect(move('copy')).rejects.toMatchObject({ code: 'not_found' });
    const more: Record<string, string> = which === 'another' ? { BERTH_SOURCE_DATABASE_URL: from } : {};
    expect(await move('copy', more)).toMatchObject({ isSwitched: false });
    const moved = await move('switch', more);
    expect(moved).toMatchObject({ isSwitched: true, deployments: [{ name: 'shop', becomes: 'rebuilt' }] });
    expect((moved?.tables.length ?? 0) > 0).toBe(which === 'another');
    const deploys = await inTarget((db) => db.selectFrom('deploys').selectAll().execute());
    expect(deploys).toMatchObject([{ deployment: 'shop', step: 'queued', lease_owner: null }]);
    expect(await move('switch', more)).toBeUndefined();
    expect(await inTarget((db) => db.selectFrom('deploys').selectAll().execute())).toEqual(deploys);
  });

  test('takes certificates and accounts of authorities along, sealed', async () => {
    await fill({ file: path.join(data, 'berth.db') }, {});
    for (const [name, text] of [
      ['certificates/shop.example.com.pem', 'KEY AND CHAIN'],
      ['acme/account-0123456789abcdef.json', JSON.stringify({ directoryUrl: 'https://acme.example.com/dir' })],
    ] as const) {
      mkdirSync(path.dirname(path.join(data, name)), { recursive: true });
      writeFileSync(path.join(data, name), text);
    }
    const secrets = await openPlatformSecrets({
      config: { masterKey: undefined, masterKeyFile: undefined, masterKeyCommand: undefined, databaseUrl: undefined },
      folders: preparePlatformFolders(data),
      environment: {},
    });
    expect(await move('switch')).toMatchObject({ certificates: 1 });
    await inTarget(async (db) => {
      const [row] = await db.selectFrom('certificates').selectAll().execute();
      const { environment: sealer } = createSealers(secrets);
      expect(sealer.open(row?.sealed_pem ?? '', certificateContext('shop.example.com'))).toBe('KEY AND CHAIN');
      const accounts = await db.selectFrom('acme_accounts').select('directory_url').execute();
      expect(accounts).toEqual([{ directory_url: 'https://acme.example.com/dir' }]);
    });
  });

  // Fails when the folder is left to two platforms, or can't be taken back.
  test('marks the folder, and completes a switch whose last step was not recorded', async () => {
    await fill({ file: path.join(data, 'berth.db') }, {});
    await move('switch');
    expect(readMovedMark(data)).toMatchObject({ state: 'switched' });
    expect(() => preparePlatformFolders(data)).toThrow('was moved to Kubernetes');
    const mark = path.join(data, MOVED_NAME);
    writeFileSync(mark, readFileSync(mark, 'utf8').replace('switched', 'switching'));
    expect(() => preparePlatformFolders(data)).toThrow('is being moved to Kubernetes');
    expect(await move('switch')).toBeUndefined();
    expect(readMovedMark(data)).toMatchObject({ state: 'switched' });
    rmSync(mark);
    expect(preparePlatformFolders(data).database).toBe(path.join(data, 'berth.db'));
    // The target has a platform by now.
    await expect(move('switch')).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is refused without a place for objects, with another key, beside a server, and for another folder', async () => {
    await fill({ file: path.join(data, 'berth.db') }, { x: folderArtifact('x') });
    await expect(move('plan', { BERTH_SHARED_FOLDER: '' })).rejects.toMatchObject({ code: 'invalid' });
    const lock = lockDataFolder(data);
    await expect(move('switch')).rejects.toMatchObject({ code: 'conflict' });
    expect(await move('copy')).toMatchObject({ isSwitched: false });
    lock.release();
    const { db, close } = await openDatabase({ file: path.join(data, 'berth.db') });
    await db
      .insertInto('environment_variables')
      .values({ account_id: 'acc', deployment: 'x', key: 'A', since_version: 1, sealed_value: 'other', created_at: 1 })
      .execute();
    await close();
    await expect(move('switch')).rejects.toThrow('is not the key of this platform');
    rmSync(path.join(data, 'berth.db'));
    await expect(move('plan')).rejects.toMatchObject({ code: 'not_found' });
  });
});
