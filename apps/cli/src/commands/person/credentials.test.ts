import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { answerJson, createScriptedClock, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type InProcessOptions, runInProcess } from '../../testing/run-in-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../testing/temporary-folder.ts';

let home: TemporaryFolder;
let server: ScriptedServer;
const me = { account: { id: 'a', name: 'acme' }, user: null, key: null, scopes: [] };
beforeEach(async () => {
  home = await createTemporaryFolder();
  server = await createScriptedServer({
    'GET /v1/user': answerJson(200, me),
    'GET /v1/auth/get-session': answerJson(200, {}),
  });
  return async () => {
    await server.close();
    await home[Symbol.asyncDispose]();
  };
});

/** Runs without a key in the environment. */
const run = (words: readonly string[], options: InProcessOptions = {}) =>
  runInProcess(server, words, { home: home.path, key: null, clock: createScriptedClock(), ...options });
const file = () => path.join(home.path, 'config.json');
const stored = () => JSON.parse(readFileSync(file(), 'utf8')) as unknown;
const store = (config: object) => writeFileSync(file(), JSON.stringify(config));
const other = { 'https://other.test': { key: 'other-key' } };

describe('login', () => {
  test('asks for address and key on a terminal, and shows neither', async () => {
    const asked: string[] = [];
    const answer = (text: string) => async (question: string) => {
      asked.push(question);
      return text;
    };
    const prompts = { text: answer('localhost:1'), secret: answer(' typed-key ') };
    const { code, stdout, stderr } = await run(['login', '--url', server.url], { prompts });
    expect([code, stdout]).toEqual([0, `Signed in to ${server.url} as acme.\n`]);
    // Fails when the address is asked for although it was given.
    expect(asked).toEqual(['API key (without one: berth login --browser)']);
    expect(server.headers.at(-1)?.['x-api-key']).toBe('typed-key');
    expect(stdout + stderr).not.toContain('typed-key');
  });

  test('keeps what is stored for other servers, and makes this one the default', async () => {
    store({ current: 'https://other.test', servers: other });
    chmodSync(file(), 0o644);
    expect(await run(['login'], { input: 'new-key\n' })).toMatchObject({ code: 0 });
    // Fails when the file is written again from this login alone: the other server's key would be lost.
    expect(stored()).toEqual({ current: server.url, servers: { ...other, [server.url]: { key: 'new-key' } } });
    // Fails when the file is written over: a file that all could read would go on being one.
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readdirSync(home.path)).toEqual(['config.json']);
  });

  test('replaces a session by a key, and does not keep both', async () => {
    store({ servers: { [server.url]: { bearer: 'old-session' } } });
    await run(['login', '--key', 'new-key']);
    expect(stored()).toEqual({ current: server.url, servers: { [server.url]: { key: 'new-key' } } });
  });

  // Fails when the key is stored before it is checked.
  test.each([
    ['refused', 401, 'No such key.'],
    ['away', 503, 'Starting.'],
  ])('of a server where it is %s keeps the earlier key', async (_how, status, detail) => {
    store({ current: server.url, servers: { [server.url]: { key: 'good-key' } } });
    server.on('GET /v1/user', answerJson(status, { detail }));
    const { code, stdout, stderr } = await run(['login', '--key', 'bad-key']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(detail)]);
    expect(stored()).toEqual({ current: server.url, servers: { [server.url]: { key: 'good-key' } } });
    expect(stderr).not.toContain('bad-key');
  });

  test('with a wrong password keeps nothing and repeats none of it', async () => {
    server.on('POST /v1/auth/sign-in/email', answerJson(401, { detail: 'Wrong address or password.' }));
    const prompts = { secret: async () => 'pass-word' };
    const { code, stdout, stderr } = await run(['login', '--url', server.url, '--email', 'a@b.c'], { prompts });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Wrong address or password.')]);
    expect(stdout + stderr).not.toContain('pass-word');
    expect(existsSync(file())).toBe(false);
  });

  test('warns that the key of the environment goes before it', async () => {
    const { code, stderr } = await run(['login'], { key: 'env-key', input: 'new-key' });
    expect([code, stderr]).toEqual([0, expect.stringContaining('BERTH_API_KEY is set')]);
    // Fails when the key of the environment is stored in place of the one that was given.
    expect(stored()).toMatchObject({ servers: { [server.url]: { key: 'new-key' } } });
  });

  test('takes a password or a browser, not both', async () => {
    expect(await run(['login', '--email', 'a@b.c', '--browser'])).toMatchObject({ code: 2, stdout: '' });
    expect(server.requests).toEqual([]);
  });
});

describe('login --browser', () => {
  const clock = () => {
    const waits: number[] = [];
    const scripted = createScriptedClock();
    const sleep = (delayMs: number, signal?: AbortSignal) => {
      waits.push(delayMs);
      return scripted.sleep(delayMs, signal);
    };
    return { waits, clock: { ...scripted, sleep } };
  };
  const begin = (more: object = {}) =>
    server.on(
      'POST /v1/auth/device/code',
      answerJson(200, {
        ...{ device_code: 'dev', user_code: 'BCDF', interval: 5, expires_in: 60 },
        ...{ verification_uri: 'https://b.test/device', verification_uri_complete: 'https://b.test/device?code=BCDF' },
        ...more,
      }),
    );
  const pending = answerJson(400, { error: 'authorization_pending', detail: 'Not yet.' });

  test('polls as often as the server wants, and less often when it is told to', async () => {
    const { waits, clock: slow } = clock();
    begin();
    const answers = [
      pending,
      answerJson(400, { error: 'slow_down', detail: 'Slower.' }),
      pending,
      answerJson(200, { token: 'tok', expires_at: '', user: {} }),
    ];
    server.on('POST /v1/auth/device/token', (exchange) => answers.shift()?.(exchange));
    expect(await run(['login', '--browser'], { clock: slow })).toMatchObject({ code: 0 });
    // Fails when `slow_down` is taken for `authorization_pending`: the server would answer so for ever.
    expect(waits).toEqual([5_000, 5_000, 10_000, 10_000]);
    expect(stored()).toMatchObject({ servers: { [server.url]: { bearer: 'tok' } } });
  });

  test('ends when the code does, and keeps nothing', async () => {
    begin({ expires_in: 12 });
    server.on('POST /v1/auth/device/token', pending);
    const { code, stdout, stderr } = await run(['login', '--browser']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('The code was not confirmed in time.')]);
    // Fails when the loop asks on: a code that has expired is never confirmed.
    expect(server.requests.filter((line) => line.endsWith('/device/token'))).toHaveLength(3);
    expect(existsSync(file())).toBe(false);
  });

  test('opens the page on a desktop alone', async () => {
    const opened: string[] = [];
    const openBrowser = async (url: string) => opened.push(url) > 0;
    begin();
    server.on('POST /v1/auth/device/token', answerJson(200, { token: 'tok', expires_at: '', user: {} }));
    await run(['login', '--browser', '--url', server.url], { openBrowser });
    expect(opened).toEqual([]);
    await run(['login', '--browser', '--url', server.url], { openBrowser, isTerminal: true });
    expect(opened).toEqual(['https://b.test/device?code=BCDF']);
  });
});

describe('logout', () => {
  test('of a session ends it at the server, and forgets it also where that fails', async () => {
    for (const answer of [200, 401, 503]) {
      store({ current: server.url, servers: { ...other, [server.url]: { bearer: 'tok' } } });
      server.on('POST /v1/auth/sign-out', answerJson(answer, { detail: 'x' }));
      expect(await run(['logout'])).toMatchObject({ code: 0, stdout: `Signed out of ${server.url}.\n` });
      // Fails when an error of the server keeps the token on disk.
      expect(stored()).toEqual({ servers: other });
      expect(server.headers.at(-1)?.authorization).toBe('Bearer tok');
    }
  });

  test('of a server that is away forgets it all the same', async () => {
    store({ current: server.url, servers: { [server.url]: { bearer: 'tok' } } });
    await server.close();
    expect(await run(['logout'])).toMatchObject({ code: 0 });
    expect(stored()).toEqual({ servers: {} });
  });

  test('of one that is not the default leaves the default', async () => {
    store({ current: 'https://other.test', servers: { ...other, [server.url]: { key: 'k' } } });
    const { stdout } = await run(['logout', '--url', server.url, '--json']);
    expect(JSON.parse(stdout)).toEqual({ server: server.url, forgotten: true });
    expect(stored()).toEqual({ current: 'https://other.test', servers: other });
    // A key is the account's: it is forgotten here, and nothing is asked.
    expect(server.requests).toEqual([]);
    expect((await run(['logout', '--url', server.url])).stdout).toContain('No key for');
  });
});

describe('a session in use', () => {
  test('is renewed beside the command, which does not fail with the renewal', async () => {
    store({ servers: { [server.url]: { bearer: 'tok' } } });
    server.on('GET /v1/auth/get-session', answerJson(500, { detail: 'x' }));
    expect(await run(['whoami'])).toMatchObject({ code: 0 });
    expect(server.requests).toContain('GET /v1/auth/get-session');
  });
});

describe('a config file that can’t be read', () => {
  // Fails when a broken file counts as none: the next login would replace the keys of all servers.
  test.each([['whoami'], ['login', '--key', 'k'], ['logout']])('fails %s, and stays as it was', async (...words) => {
    writeFileSync(file(), '{"servers":{"https://other.test":{"key":"other-key"}}');
    const { code, stdout, stderr } = await run(words);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining("config.json can't be read. Repair it")]);
    expect(stderr).not.toContain('other-key');
    expect(readFileSync(file(), 'utf8')).toContain('other-key');
  });

  test('because its folder is a file is none, and a login says why it can’t be kept', async () => {
    await home.write({ blocked: '' });
    const blocked = { home: path.join(home.path, 'blocked') };
    expect(await run(['whoami'], { ...blocked, key: 'k' })).toMatchObject({ code: 0 });
    const { code, stderr } = await run(['login', '--key', 'k'], blocked);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^✗ (ENOTDIR|EEXIST): /)]);
  });

  test('because it is a folder says so', async () => {
    mkdirSync(file());
    expect((await run(['whoami'])).stderr).toContain("config.json can't be read.");
  });
});
