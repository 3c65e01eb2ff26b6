import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Berth, REPO, startBerth } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { nodeProject, probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { databaseOf, IS_ON_POSTGRES } from '../harness/test-database.ts';

const KEY = randomBytes(32).toString('hex');

/** Answers with a text that is a new one in each start of the program. */
const stamped = nodeProject(`import { createServer } from 'node:http';
  const stamp = crypto.randomUUID();
  createServer((request, response) => response.end(stamp)).listen(process.env.PORT, '0.0.0.0');`);

const stampOf = async (berth: Berth, name: string) => {
  const { status, text } = await request(berth, name);
  expect(status).toBe(200);
  return text;
};

// Fails when the master key names anything that two servers of one machine have in common: user ids, control groups, networks, containers.
it('two servers with one master key on one machine leave each other alone', { timeout: 180_000 }, async () => {
  const env = { BERTH_MASTER_KEY: KEY, BERTH_IDLE_TIMEOUT: '3600' };
  await using one = await startBerth({ env });
  await using other = await startBerth({ env });
  const name = uniqueName('both');
  await Promise.all([one, other].map((berth) => deployed(berth, name, { files: stamped })));
  const [, kept] = await Promise.all([stampOf(one, name), stampOf(other, name)]);
  await one.kill9();
  expect(await stampOf(other, name)).toBe(kept);
  // A start clears what the killed server left.
  await one.start();
  await stampOf(one, name);
  expect(await stampOf(other, name)).toBe(kept);
  await one.stop();
  expect(await stampOf(other, name)).toBe(kept);
});

it('the master key of the environment is nowhere but there', { timeout: 120_000 }, async () => {
  await using berth = await startBerth({ env: { BERTH_MASTER_KEY: KEY }, args: ['--log-level', 'debug'] });
  const name = uniqueName('sealed');
  await berth.post('/v1/env/set', { deployment_name: name, set: { SECRET: 'sealed value' } });
  await deployed(berth, name, { files: probe() });
  const { text } = await request(berth, name, '/env');
  expect(text).toContain('sealed value');
  const commands = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  for (const place of [text, commands, berth.output]) expect(place).not.toContain(KEY);
  expect(existsSync(path.join(berth.dataFolder, 'master.key'))).toBe(false);
  expect(readFileSync(path.join(berth.dataFolder, 'server-id'), 'utf8')).toMatch(/^[0-9a-f]{16}\n$/);
  const printed = execFileSync(process.execPath, [path.join(REPO, 'apps/server/src/main.ts'), '--print-config'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], BERTH_MASTER_KEY: KEY },
  });
  expect(printed).toContain('BERTH_MASTER_KEY=(set, hidden)');
  expect(printed).not.toContain(KEY);
});

it('a rotation of the master key loses nothing, and the former key is of no use afterward', {
  timeout: 180_000,
}, async () => {
  await using berth = await startBerth({ hasGeneratedKey: true });
  const name = uniqueName('rotated');
  await berth.post('/v1/env/set', { deployment_name: name, set: { SECRET: 'sealed value' } });
  await deployed(berth, name, { files: probe() });
  const file = path.join(berth.dataFolder, 'master.key');
  const former = readFileSync(file, 'utf8');
  const options = { env: await databaseOf(berth.dataFolder) };
  const rotate = (...words: string[]) =>
    cli(berth, ['admin', 'rotate-key', '--data', berth.dataFolder, ...words], options);
  if (!IS_ON_POSTGRES) {
    expect(await rotate()).toMatchObject({ code: 1, stderr: expect.stringContaining('Another Berth server is using') });
    expect(readFileSync(file, 'utf8')).toBe(former);
  }
  await berth.stop();
  const steps = IS_ON_POSTGRES ? [[], ['--known-to-all']] : [[]];
  for (const words of steps) expect(await rotate(...words)).toMatchObject({ code: 0 });
  await berth.start();
  expect((await request(berth, name, '/env')).json()).toMatchObject({ SECRET: 'sealed value' });
  await berth.stop();
  const [current = '', second] = readFileSync(file, 'utf8').trim().split('\n');
  expect(`${second}\n`).toBe(former);
  writeFileSync(file, former);
  await expect(berth.start()).rejects.toThrow(/is not the key of this database/);
  writeFileSync(file, `${current}\n`);
  await berth.start();
  expect((await request(berth, name, '/env')).json()).toMatchObject({ SECRET: 'sealed value' });
});
