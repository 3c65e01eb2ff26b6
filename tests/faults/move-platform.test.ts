import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findS3Server,
  type S3Server,
  startS3Server,
} from '../../packages/object-store/src/s3/testing/start-s3-server.ts';
import { findPostgres, startPostgres, type TestPostgres } from '../../packages/postgres/src/testing/start-postgres.ts';
import { type Berth, createBerth, REPO } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { nodeProject } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { lacksServers } from '../harness/servers.ts';
import { volumeClient } from '../harness/volumes.ts';
import { waitFor } from '../harness/wait-for.ts';

const lacking = lacksServers();
if (lacking !== undefined && process.env['CI'] === 'true') {
  throw new Error(`CI must have everything, and this ${lacking}`);
}
const PROGRAM = path.join(REPO, 'apps/server/src/move-platform/move-platform-main.ts');

/** Two servers, three deploys and a dozen commands. */
const SLOW = { timeout: 400_000 };

/** A service that logs each path and answers with a word and a variable. */
const speaking = (word: string) =>
  nodeProject(`import { createServer } from 'node:http';
    createServer((request, response) => {
      console.log('asked for ' + request.url);
      response.end('${word} ' + process.env.SECRET);
    }).listen(process.env.PORT, '0.0.0.0');`);

describe.skipIf(lacking !== undefined)(lacking ? `a move to Kubernetes: ${lacking}` : 'a move to Kubernetes', () => {
  let postgres: TestPostgres;
  let bucket: S3Server;
  let folder: string;
  let databases = 0;
  beforeAll(async () => {
    postgres = await startPostgres(findPostgres() as string);
    bucket = await startS3Server(findS3Server() as string);
    folder = mkdtempSync(path.join(tmpdir(), 'berth-move-'));
  });
  afterAll(async () => {
    await postgres?.close();
    await bucket?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const createDatabase = async () => {
    const name = `target_${++databases}`;
    const client = new pg.Client(postgres.url);
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return postgres.url.replace('/postgres?', `/${name}?`);
  };
  const readTables = async (url: string) => {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query(`select 1 from pg_tables where schemaname like 'berth%'`);
    await client.end();
    return rows.length;
  };
  /** Creates the servers of the cluster: here one, whose runtime builds anew what it can't start. */
  const createTarget = (from: Berth, env: Readonly<Record<string, string>>) =>
    createBerth({
      key: from.key,
      env: { ...env, BERTH_MASTER_KEY: readFileSync(path.join(from.dataFolder, 'master.key'), 'utf8').trim() },
    });

  // Fails when a move loses anything that an account has, copies what was copied before, or leaves two servers with one platform.
  it('takes everything along: files while the server runs, the rest when it has stopped', SLOW, async () => {
    const url = await createDatabase();
    const { bucket: name, endpoint, credentials } = bucket.options;
    const env = {
      BERTH_DATABASE_URL: url,
      BERTH_S3_BUCKET: name,
      BERTH_S3_ENDPOINT: endpoint,
      BERTH_S3_ACCESS_KEY_ID: credentials.accessKeyId,
      BERTH_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    await using old = createBerth({ dataFolder: path.join(folder, 'old') });
    const migrate = async (...words: string[]) => {
      const all = ['admin', 'migrate', '--to', 'kubernetes', '--data', old.dataFolder, ...words];
      const { code, stdout, stderr } = await cli(old, all, { env });
      return { code, stderr, result: words.includes('--json') ? JSON.parse(stdout || '{}') : stdout };
    };
    const service = uniqueName('shop');
    const setVariable = (berth: Berth, value: string) =>
      berth.post('/v1/env/set', { deployment_name: service, set: { SECRET: value } }).then((answer) => answer.text());
    const files = (berth: Berth) => volumeClient(berth, 'files');

    await old.start();
    await deployed(old, service, { files: speaking('first') });
    await setVariable(old, 'one');
    await waitFor('the variable', async () => (await request(old, service, '/early')).text === 'first one');
    await files(old).create();
    for (const object of ['a.txt', 'b/c.txt', 'gone.txt']) await files(old).put(object, `old ${object}`);
    const made = await old.post('/v1/user/keys', { name: 'ci', scopes: ['read'] });
    const { secret } = (await made.json()) as { secret: string };

    const plan = await migrate('--dry-run', '--json');
    expect([plan.code, plan.stderr]).toEqual([0, '']);
    const volume = { account: expect.any(String), name: 'files', from: 'copied' };
    expect(plan.result.volumes).toMatchObject([{ ...volume, copied: 3, unchanged: 0 }]);
    expect(plan.result.deployments).toMatchObject([{ name: service, becomes: 'rebuilt', reason: null }]);
    expect(plan.result.tables).toContainEqual({ table: 'accounts', rows: 1 });
    expect([await bucket.keys(), await readTables(url)]).toEqual([[], 0]);
    expect((await migrate('--dry-run')).result).toContain('rebuilt from its source');

    const first = await migrate('--json');
    expect([first.code, first.result]).toMatchObject([0, { step: 'copy', is_switched: false }]);
    expect(first.result.volumes).toMatchObject([{ copied: 3, unchanged: 0, changing: 0 }]);
    expect((await migrate('--json')).result.volumes).toMatchObject([{ copied: 0, unchanged: 3 }]);
    // The server goes on, and its platform changes.
    await files(old).put('a.txt', 'new a.txt');
    await files(old).put('late.txt', 'late');
    expect((await old.post('/v1/volume/delete-object', { volume: 'files', path: 'gone.txt' })).status).toBe(200);
    await deployed(old, service, { files: speaking('second') });
    await setVariable(old, 'two');
    await waitFor('the variable', async () => (await request(old, service, '/later')).text === 'second two');
    const refused = await migrate('--switch');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Another Berth server is using')]);
    await old.stop();

    const switched = await migrate('--switch', '--json');
    expect([switched.code, switched.stderr, switched.result.is_switched]).toEqual([0, '', true]);
    expect(switched.result.tables).toContainEqual({ table: 'accounts', rows: 1, sha256: expect.any(String) });
    await expect(old.start()).rejects.toThrow('was moved to Kubernetes');
    const again = await migrate('--switch');
    expect([again.code, again.result]).toEqual([0, expect.stringContaining('was moved to Kubernetes before')]);

    await using moved = createTarget(old, env);
    await moved.start();
    await waitFor('it is rebuilt and serves', async () => (await request(moved, service)).text === 'second two', {
      timeoutMs: 60_000,
    });
    expect((await files(moved).paths()).sort()).toEqual(['a.txt', 'b/c.txt', 'late.txt']);
    expect(await files(moved).get('a.txt')).toBe('new a.txt');
    expect((await moved.api('/v1/user', { headers: { 'X-API-Key': secret } })).status).toBe(200);
    const { logs } = await readLogs(moved, service, { query: 'textPayload:"asked for"' });
    const asked = logs.map(({ message }) => message);
    for (const line of ['/early', '/later', '/'])
      expect(asked.filter((one) => one === `asked for ${line}`)).not.toEqual([]);
    const { deploys } = (await (await moved.api(`/v1/deploys?name=${service}`)).json()) as {
      deploys: { kind: string; status: string; actor: { kind: string } }[];
    };
    expect(deploys[0]).toMatchObject({ kind: 'deploy', status: 'done', actor: { kind: 'system' } });
    expect(deploys.filter(({ actor }) => actor.kind === 'system')).toHaveLength(1);
  });

  // Fails when a killed move can't be continued, copies wrongly, or queues a rebuild twice.
  it('continues after it was killed at any moment, also into a shared folder', SLOW, async () => {
    const shared = path.join(folder, 'shared');
    const env = { BERTH_DATABASE_URL: await createDatabase(), BERTH_SHARED_FOLDER: shared };
    await using old = createBerth({ dataFolder: path.join(folder, 'killed') });
    await old.start();
    const service = uniqueName('kept');
    await deployed(old, service, { files: speaking('kept') });
    await request(old, service, '/before');
    await volumeClient(old, 'many').create();
    const names = Array.from({ length: 60 }, (_, index) => `${index % 7}/${index}.txt`);
    for (const name of names) await volumeClient(old, 'many').put(name, name.repeat(1_000));
    await old.stop();
    const volumes = path.join(old.dataFolder, 'work/volumes');
    const [account = ''] = readdirSync(volumes).filter((name) => !name.startsWith('.'));
    const [storage = ''] = readdirSync(path.join(volumes, account));
    const place = path.join(account, storage);
    mkdirSync(path.join(volumes, place, 'empty'));
    symlinkSync('0/0.txt', path.join(volumes, place, 'link'));

    const run = async (step: string, killAfterMs: number): Promise<number | null> => {
      const child = spawn(process.execPath, [PROGRAM, old.dataFolder, step], {
        env: { ...process.env, ...env },
        stdio: 'ignore',
      });
      const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      const [code] = (await once(child, 'exit')) as [number | null];
      clearTimeout(timer);
      return code;
    };
    for (const step of ['copy', 'switch']) {
      let kills = 0;
      // Later each time, so that each step is met, and any machine gets to the end.
      for (let delayMs = 400; (await run(step, delayMs)) !== 0; delayMs *= 1.25) kills++;
      expect(kills).toBeGreaterThan(1);
    }
    const copy = path.join(shared, 'volumes', place);
    expect(lstatSync(path.join(copy, 'empty')).isDirectory()).toBe(true);
    expect(readlinkSync(path.join(copy, 'link'))).toBe('0/0.txt');

    await using moved = createTarget(old, env);
    await moved.start();
    await waitFor('it is rebuilt and serves', async () => (await request(moved, service)).status === 200, {
      timeoutMs: 60_000,
    });
    const there = volumeClient(moved, 'many');
    expect((await there.paths()).sort()).toEqual(names.toSorted());
    for (const name of names.slice(0, 5)) expect(await there.get(name)).toBe(name.repeat(1_000));
    const { logs } = await readLogs(moved, service, { query: 'textPayload:"asked for /before"' });
    expect(logs).toHaveLength(1);
    const { deploys } = (await (await moved.api(`/v1/deploys?name=${service}`)).json()) as { deploys: unknown[] };
    expect(deploys).toHaveLength(2);
  });
});
