import { readFile, stat } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { answerJson, createScriptedServer, deployEvent, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../testing/temporary-folder.ts';

let server: ScriptedServer;
let home: TemporaryFolder;
beforeEach(async () => {
  home = await createTemporaryFolder();
  server = await createScriptedServer({
    'GET /v1/deployment/check-name': (exchange) => {
      const name = new URL(exchange.request.url ?? '', 'http://x').searchParams.get('name') ?? '';
      const answer =
        name === 'taken'
          ? { available: false, reason: 'Another account owns it.' }
          : { available: true, exists: name === 'app' };
      return answerJson(200, answer)(exchange);
    },
    'GET /v1/env/list': answerJson(200, [
      { key: 'A', updated_at: '2026-01-01T00:00:00Z' },
      { key: 'TOKEN', updated_at: '2026-01-01T00:00:00Z' },
      { key: 'X\nPATH', updated_at: '2026-01-01T00:00:00Z' },
    ]),
  });
  return async () => {
    await server.close();
    await home[Symbol.asyncDispose]();
  };
});

const run = (...words: string[]) => runInProcess(server, words, { home: home.path });
const read = (name: string) => readFile(`${home.path}/${name}`, 'utf8');

test('link writes the name into berth.json and keeps what else it has', async () => {
  expect(await run('link')).toMatchObject({ code: 2, stderr: expect.stringContaining('berth link NAME') });
  expect((await run('link', 'app')).code).toBe(0);
  expect(await read('berth.json')).toBe('{\n  "name": "app"\n}\n');
  expect((await run('link')).stdout).toBe('app\n');
  await home.write({ 'berth.json': '{\n    "$schema": "x",\n    "memory": "1Gi",\n    "name": "old"\n}\n' });
  const { stderr } = await run('link', 'new');
  expect(stderr).toContain('There is no deployment new yet.');
  expect(await read('berth.json')).toBe('{\n    "$schema": "x",\n    "name": "new",\n    "memory": "1Gi"\n}\n');
  // Fails when a name that can't be deployed is remembered, or an invalid file is replaced.
  expect(await run('link', 'taken')).toMatchObject({ code: 2, stderr: expect.stringContaining('Another account') });
  expect(await read('berth.json')).toContain('"new"');
  await home.write({ 'berth.json': '{ broken' });
  expect((await run('link', 'app')).code).toBe(2);
  expect(await read('berth.json')).toBe('{ broken');
});

test('commands without a name use the linked deployment, and a typed name wins', async () => {
  await home.write({ 'berth.json': '{"name":"app"}' });
  const sent: unknown[] = [];
  server.on('POST /v1/deployment/restart', async ({ response, json }) => {
    sent.push(await json());
    response.end(deployEvent(1, 'DONE', 'serves', { url: 'http://app.localhost' }));
  });
  server.on('GET /v1/deployment/instances', answerJson(200, []));
  await run('restart');
  await run('restart', 'other');
  expect(sent).toEqual([{ name: 'app' }, { name: 'other' }]);
  const asked = async (...words: string[]) => {
    await run(...words);
    return server.requests.at(-1);
  };
  expect(await asked('env', 'ls')).toBe('GET /v1/env/list?name=app');
  expect(await asked('ps')).toBe('GET /v1/deployment/instances?name=app');
  // Fails when the overview can't be had in a linked folder.
  expect(await asked('ps', '--all')).toBe('GET /v1/deployment/instances');
  await home.write({ 'berth.json': '{}' });
  const before = server.requests.length;
  expect(await run('restart')).toMatchObject({ code: 2, stderr: expect.stringContaining('Give the name') });
  expect(server.requests.length).toBe(before);
});

// Fails when a value is invented, a file of secrets is readable by others, or one that exists is lost.
test('env pull writes names without values, for its owner alone, and over no file', async () => {
  const { code, stdout, stderr } = await run('env', 'pull', 'app');
  expect([code, stdout]).toEqual([0, `${home.path}/.env\n`]);
  expect(stderr).toContain('Not readable, fill in by hand: A, TOKEN.');
  expect((await read('.env')).split('\n').slice(1)).toEqual(['# A=', '# TOKEN=', '']);
  expect((await stat(`${home.path}/.env`)).mode & 0o777).toBe(0o600);
  const value = 'it is "so", $HOME #1';
  await home.write({ '.env': `TOKEN='${value}'\nLOCAL=1\n` });
  expect(await run('env', 'pull', 'app')).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
  expect(await read('.env')).toContain('LOCAL=1');
  const forced = await run('env', 'pull', 'app', '--force', '--json');
  expect(JSON.parse(forced.stdout)).toMatchObject({ kept: ['TOKEN'], unreadable: ['A'] });
  expect(parseEnv(await read('.env'))).toEqual({ TOKEN: value });
  expect((await stat(`${home.path}/.env`)).mode & 0o777).toBe(0o600);
});
