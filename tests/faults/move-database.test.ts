import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres } from '../../packages/postgres/src/testing/start-postgres.ts';
import { type Berth, createBerth, REPO } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { volumeClient } from '../harness/volumes.ts';

const programs = findPostgres();
const PROGRAM = path.join(REPO, 'apps/server/src/move-database/move-database-main.ts');

describe.skipIf(!programs)('berth admin migrate', () => {
  let postgres: TestPostgres;
  let folder: string;
  beforeAll(async () => {
    postgres = await startPostgres(programs as string);
    folder = mkdtempSync(path.join(tmpdir(), 'berth-move-'));
  });
  afterAll(async () => {
    await postgres?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  // Fails when the move loses anything that an account has, or leaves a folder that no server starts on.
  it('moves a platform to Postgres and back: its accounts, keys, variables, files and services go on', async () => {
    const dataFolder = path.join(folder, 'data');
    const name = uniqueName('moved');
    const onSqlite = createBerth({ hasGeneratedKey: true, dataFolder });
    const env = { BERTH_DATABASE_URL: postgres.url };
    await using onPostgres = createBerth({ hasGeneratedKey: true, dataFolder, env });
    const migrate = (...words: string[]) =>
      cli(onSqlite, ['admin', 'migrate', '--data', dataFolder, ...words], { env });
    const check = async (berth: Berth, variables: readonly string[]) => {
      const list = (await (await berth.api(`/v1/env/list?name=${name}`)).json()) as { key: string }[];
      expect(list.map(({ key }) => key)).toEqual(variables);
      expect(await volumeClient(berth, 'files').get('a.txt')).toBe('kept');
      expect((await request(berth, name)).text).toBe('hello');
    };
    const setVariable = (berth: Berth, key: string) =>
      berth.post('/v1/env/set', { deployment_name: name, set: { [key]: 'x' } }).then((answer) => answer.text());

    await onSqlite.start();
    await deployed(onSqlite, name, { files: greeter('hello') });
    await setVariable(onSqlite, 'FIRST');
    await volumeClient(onSqlite, 'files').create();
    expect((await volumeClient(onSqlite, 'files').put('a.txt', 'kept')).ok).toBe(true);
    expect((await migrate('--to', 'postgres')).stderr).toContain('Another Berth server is using');
    await onSqlite.stop();
    const { key } = onSqlite;

    const plan = await migrate('--to', 'postgres', '--dry-run');
    expect([plan.code, plan.stdout]).toEqual([0, expect.stringMatching(/environment_variables +1\n/)]);
    const there = await migrate('--to', postgres.url);
    expect([there.code, there.stderr]).toEqual([0, expect.stringContaining('Both databases have the same rows.')]);
    expect(there.stdout).toBe('Start the server with BERTH_DATABASE_URL set to the URL of the database.\n');
    await expect(onSqlite.start()).rejects.toThrow('is in Postgres. Set BERTH_DATABASE_URL');
    await onPostgres.start();
    expect(onPostgres.key).toBe(key);
    await check(onPostgres, ['FIRST']);
    await setVariable(onPostgres, 'SECOND');
    await onPostgres.stop();

    const back = await migrate('--to', 'sqlite', '--json');
    expect(JSON.parse(back.stdout)).toMatchObject({ to: 'sqlite', dry_run: false, adapted: [] });
    await onSqlite.start();
    await check(onSqlite, ['FIRST', 'SECOND']);
    await onSqlite.stop();
  });

  // Fails when a killed move leaves a database that differs from its source, or a folder that can't be moved any more.
  it('continues after it was killed at any moment', async () => {
    const dataFolder = path.join(folder, 'killed');
    await using berth = createBerth({ hasGeneratedKey: true, dataFolder });
    await berth.start();
    const name = uniqueName('kept');
    await deployed(berth, name, { files: greeter('kept') });
    for (let count = 0; count < 40; count++) await berth.post('/v1/volume/create', { name: `volume-${count}` });
    await berth.stop();
    const run = async (to: string, killAfterMs: number): Promise<number | null> => {
      const environment = { ...process.env, BERTH_DATABASE_URL: url };
      const child = spawn(process.execPath, [PROGRAM, dataFolder, to], { env: environment, stdio: 'ignore' });
      const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      const [code] = (await once(child, 'exit')) as [number | null];
      clearTimeout(timer);
      return code;
    };
    const url = postgres.url.replace('/postgres?', '/template1?');
    for (const to of ['postgres', 'sqlite']) {
      let kills = 0;
      // Later each time, so that each step is met, and any machine gets to the end.
      for (let delayMs = 300; (await run(to, delayMs)) !== 0; delayMs *= 1.4) kills++;
      expect(kills).toBeGreaterThan(1);
    }
    expect(readdirSync(dataFolder)).toContain('berth.db');
    await berth.start();
    const volumes = (await (await berth.api('/v1/volume/list')).json()) as unknown[];
    expect(volumes).toHaveLength(40);
    expect((await request(berth, name)).text).toBe('kept');
  });
});
