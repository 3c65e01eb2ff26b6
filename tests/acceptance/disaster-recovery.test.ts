import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findS3Server,
  NO_S3_SERVER,
  type S3Server,
  startS3Server,
} from '../../packages/object-store/src/s3/testing/start-s3-server.ts';
import {
  findPostgres,
  NO_POSTGRES,
  startPostgres,
  type TestPostgres,
} from '../../packages/postgres/src/testing/start-postgres.ts';
import { type Berth, createBerth, startBerth } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { guideBlocks, openGuideShell } from '../harness/guide-shell.ts';
import { uniqueName } from '../harness/names.ts';
import { probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { volumeClient } from '../harness/volumes.ts';

const [postgresPrograms, s3Program] = [findPostgres(), findS3Server()];
const lacking = postgresPrograms === undefined ? NO_POSTGRES : s3Program === undefined ? NO_S3_SERVER : undefined;
if (lacking && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${lacking}`);

const GUIDE = 'disaster-recovery';
const block = (heading: string, part = '') => {
  const found = guideBlocks(GUIDE, 'sh', heading).find((one) => one.includes(part));
  if (found === undefined) throw new Error(`docs/guides/${GUIDE}.md has no commands under "${heading}"`);
  return found;
};

describe.skipIf(lacking)(lacking ? `disaster recovery: ${lacking}` : 'disaster recovery', { timeout: 240_000 }, () => {
  let postgres: TestPostgres;
  let s3: S3Server;
  let berth: Berth;
  const stack = new AsyncDisposableStack();
  const name = uniqueName('kept');
  const databaseUrl = (database: string) => postgres.url.replace('/postgres?', `/${database}?`);
  const onPostgres = async (database: string, text: string) => {
    const client = new pg.Client(databaseUrl(database));
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  const settings = (database: string) => ({
    BERTH_DATABASE_URL: databaseUrl(database),
    BERTH_S3_BUCKET: s3.options.bucket,
    BERTH_S3_ENDPOINT: s3.options.endpoint,
    BERTH_S3_ACCESS_KEY_ID: s3.options.credentials.accessKeyId,
    BERTH_S3_SECRET_ACCESS_KEY: s3.options.credentials.secretAccessKey,
  });
  /** Checks everything that a platform keeps: a program, its variables, an object, the operator's key. */
  const expectWhole = async (server: Berth) => {
    expect((await request(server, name, '/env')).json()).toMatchObject({ SECRET: 'sealed value' });
    expect(await volumeClient(server, 'records').get('notes/one.txt')).toBe('one');
    expect((await server.api('/v1/deployment/list')).status).toBe(200);
  };

  beforeAll(async () => {
    postgres = await startPostgres(postgresPrograms as string);
    stack.defer(() => postgres.close());
    s3 = await startS3Server(s3Program as string);
    stack.defer(() => s3.close());
    await onPostgres('postgres', 'create database berth');
    berth = stack.use(await startBerth({ hasGeneratedKey: true, env: settings('berth') }));
    await berth.post('/v1/env/set', { deployment_name: name, set: { SECRET: 'sealed value' } });
    await deployed(berth, name, { files: probe() });
    const volume = volumeClient(berth, 'records');
    await volume.create();
    await volume.put('notes/one.txt', 'one');
  }, 120_000);
  afterAll(() => stack.disposeAsync());

  // Fails when a table, the key or a file is not in the backup: nothing of the first server is left.
  it('with nothing but a backup and the bucket, brings back all of it, as the runbook says', async () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-runbook-'));
    const shell = openGuideShell(berth, folder.path, {
      ...settings('berth_restored'),
      POSTGRES_URL: postgres.url,
      CHECK_URL: databaseUrl('berth_check'),
      PATH: `${path.join(folder.path, '.bin')}:${postgresPrograms}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
    });
    const printed = await shell.run(block('Back up'));
    expect(printed).toMatch(/Not in the backup: \d+ objects \(.+\) in the bucket berth/);
    await berth.stop();
    await onPostgres('postgres', 'drop database berth');
    for (const part of readdirSync(berth.dataFolder)) rmSync(path.join(berth.dataFolder, part), { recursive: true });

    const restored = await shell.run(block('Postgres is lost'));
    expect(restored).toMatch(/Loaded \d+ rows into the Postgres database/);
    expect(restored).toMatch(/(\d+) of \1 objects are in their buckets unchanged/);
    expect(restored).toContain('1 of 1 services respond');
    const dataFolder = path.join(folder.path, 'restored');
    expect(readdirSync(dataFolder).filter((part) => part.startsWith('restored'))).toEqual([]);
    const next = createBerth({ hasGeneratedKey: true, dataFolder, env: settings('berth_restored') });
    await next.start();
    expect(next.key).toBe(berth.key);
    await expectWhole(next);
    await deployed(next, name, { files: probe() });
    await expectWhole(next);

    // A second restore into the same database must not mix two platforms.
    const file = path.join(folder.path, 'berth.tar.zst');
    const again = await cli(next, ['admin', 'restore', file, path.join(folder.path, 'again')], {
      env: settings('berth_restored'),
    });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
    expect(readdirSync(folder.path)).not.toContain('again');

    // The machine of the only server is lost, and Postgres is not.
    await next.stop();
    const kept = path.join(folder.path, 'kept');
    const files = await cli(next, ['admin', 'restore', file, kept, '--keep-database'], {
      env: settings('berth_restored'),
    });
    expect(files).toMatchObject({ code: 0 });
    await using third = createBerth({ hasGeneratedKey: true, dataFolder: kept, env: settings('berth_restored') });
    await third.start();
    await deployed(third, name, { files: probe() });
    await expectWhole(third);
    await third.stop();

    // An object is gone: the check of the bucket names it.
    await s3.remove((await s3.keys()).find((key) => key.endsWith('notes/one.txt')) as string);
    await expect(shell.run(block('The bucket is lost'))).rejects.toThrow(/notes\/one\.txt +missing/);
  });

  it('a server that joins needs the key of the others, and says how to get it', async () => {
    await onPostgres('postgres', 'create database joined');
    const env = settings('joined');
    await using first = await startBerth({ env });
    await first.stop();
    await using second = createBerth({ env });
    await expect(second.start()).rejects.toThrow(/Copy master\.key from the data folder of another server/);
    expect(readdirSync(second.dataFolder)).not.toContain('master.key');
    writeFileSync(path.join(second.dataFolder, 'master.key'), `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    await expect(second.start()).rejects.toThrow(/is not the key of this database/);
    await using third = createBerth({
      env: { ...env, BERTH_MASTER_KEY_FILE: path.join(first.dataFolder, 'master.key') },
    });
    await third.start();
    expect(readdirSync(third.dataFolder)).not.toContain('master.key');
    const serverIds = [first, third].map(({ dataFolder }) => path.join(dataFolder, 'server-id'));
    expect(serverIds.map((file) => path.basename(file))).toEqual(['server-id', 'server-id']);
  });

  it('after the key is lost, the runbook gives up the sealed values alone', async () => {
    await onPostgres('postgres', 'create database keyless');
    const env = settings('keyless');
    await using server = await startBerth({ env });
    const lost = uniqueName('lost');
    await server.post('/v1/env/set', { deployment_name: lost, set: { SECRET: 'sealed value' } });
    await deployed(server, lost, { files: probe() });
    await server.stop();
    const file = path.join(server.dataFolder, 'master.key');
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`);
    await expect(server.start()).rejects.toThrow(/is not the key of this database/);
    for (const text of guideBlocks(GUIDE, 'sql', 'The master key is lost')) await onPostgres('keyless', text);
    await server.start();
    expect((await request(server, lost, '/env')).json()).not.toHaveProperty('SECRET');
    await server.post('/v1/env/set', { deployment_name: lost, set: { SECRET: 'set again' } });
    await expect
      .poll(async () => (await request(server, lost, '/env')).text, { timeout: 60_000 })
      .toContain('set again');
  });
});
