import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  answerJson,
  createScriptedServer,
  deployEvent,
  type Exchange,
  type Handler,
  type ScriptedServer,
} from '@berth/client/testing';
import type { Deployment } from '@berth/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runBerth, startBerth } from '../testing/run-berth.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';

let server: ScriptedServer;
let home: TemporaryFolder;

beforeAll(async () => {
  server = await createScriptedServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  home = await createTemporaryFolder();
  return () => home[Symbol.asyncDispose]();
});

/** Runs `berth` against the scripted server, with a key. */
const berth = (words: string[], input?: string) =>
  runBerth(words, {
    cwd: home.path,
    env: { BERTH_URL: server.url, BERTH_API_KEY: 'test-key' },
    ...(input === undefined ? {} : { input }),
  });

const deployment = (more: Partial<Deployment> = {}): Deployment => ({
  name: 'app',
  url: 'http://app.localhost:8787',
  region: 'local',
  status: 'ready',
  revision: 'app-00002',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  port: 8080,
  memory: '1Gi',
  cpu: 1,
  timeout: 600,
  concurrency: 80,
  max_instances: 0,
  session_affinity: false,
  use_http2: false,
  volumes: { '/data': { name: 'v', read_only: true, sub_path: 'x' } },
  schedule: null,
  instances: 1,
  ...more,
});

describe('exit codes', () => {
  test.each([
    [0, ['--version']],
    [0, []],
    [0, ['--help']],
    [0, ['deploy', '--help']],
    [2, ['env']],
    [2, ['fly']],
    [2, ['ls', '--colour']],
    [2, ['get']],
    [2, ['get', 'a', 'b']],
    [2, ['rm', 'app']],
    [2, ['logs', 'app', '--limit', '0']],
    [2, ['logs', 'app', '--since', 'soon']],
    [2, ['logs', 'app', '--limit', '5000']],
    [2, ['env', 'set', 'app']],
    [2, ['env', 'set', 'app', '=x']],
    [2, ['env', 'set', 'app', 'TOKEN']],
    [2, ['ls', '--url', 'ftp://x']],
    [2, ['deploy', '/nowhere']],
    [2, ['deploy', '--port', '0']],
    [2, ['deploy', '--archive', 'a', '--source-object', 'v/a']],
    [1, ['ls', '--url', 'http://127.0.0.1:1']],
    [1, ['get', 'nothing']],
  ])('%i for berth %j', async (code, words) => {
    const result = await berth(words);
    expect(result).toMatchObject({ code });
    if (code !== 0) expect(result.stdout).toBe('');
  });
});

test('every command has help with examples', async () => {
  const words = [['deploy'], ['ls'], ['logs'], ['env', 'set'], ['keys', 'create'], ['admin', 'account', 'create']];
  for (const command of words) {
    const { stdout } = await berth([...command, '--help']);
    expect(stdout).toContain(`Usage: berth ${command.join(' ')}`);
    expect(stdout).toContain('Examples:');
    expect(stdout).toContain('--json');
  }
});

test('a value that was typed as a secret is not repeated', async () => {
  const { code, stderr } = await berth(['env', 'set', 'app', 's3cret-value']);
  expect(code).toBe(2);
  expect(stderr).not.toContain('s3cret');
});

test('ls is a table for people and an array for programs', async () => {
  server.on('GET /v1/deployment/list', answerJson(200, [deployment(), deployment({ name: 'b', status: 'failed' })]));
  const table = await berth(['ls']);
  expect(table.stdout.split('\n')[0]).toMatch(/^NAME +STATUS +INSTANCES +REVISION +UPDATED +URL$/);
  expect(table.stdout).toMatch(/^app +ready +1 +app-00002 +\d+d ago +http:\/\/app\.localhost:8787$/m);
  expect(table.stdout).not.toContain('\x1b');
  expect(JSON.parse((await berth(['ls', '--json'])).stdout)).toHaveLength(2);
  server.on('GET /v1/deployment/list', answerJson(200, []));
  expect(await berth(['ls'])).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('berth deploy') });
});

test('get shows the settings and the revisions', async () => {
  const revisions = [
    { revision: 'app-00002', created_at: '2026-01-01T00:00:00Z', status: 'ready', digest: 'sha256:abc' },
  ];
  server.on('GET /v1/deployment/app', answerJson(200, { ...deployment(), revisions }));
  const { stdout } = await berth(['get', 'app']);
  expect(stdout).toContain('/data = v/x (read only)');
  expect(stdout).toContain('app-00002 (serving)');
});

test('open prints the address alone', async () => {
  server.on('GET /v1/deployment/app', answerJson(200, { ...deployment(), revisions: [] }));
  expect((await berth(['open', 'app'])).stdout).toBe('http://app.localhost:8787\n');
});

test('an error is a sentence, or JSON under --json, and never on standard output', async () => {
  server.on('GET /v1/deployment/other', answerJson(403, { detail: 'Another account owns "other".' }));
  expect(await berth(['get', 'other'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'x Another account owns "other".\n',
  });
  const { stdout, stderr } = await berth(['get', 'other', '--json']);
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toEqual({ error: { code: 'forbidden', message: 'Another account owns "other".' } });
});

test('a wrong key says where it came from', async () => {
  server.on('GET /v1/user', answerJson(401, { detail: 'No such key.' }));
  expect((await berth(['whoami'])).stderr).toMatch(/No such key\.\n.*BERTH_API_KEY.*berth login/);
});

test('rm deletes with -y', async () => {
  let body: unknown;
  server.on('POST /v1/deployment/delete', async (exchange) => {
    body = await exchange.json();
    await answerJson(200, { detail: 'ok' })(exchange);
  });
  expect(await berth(['rm', 'app', '-y', '--json'])).toMatchObject({
    code: 0,
    stdout: '{"name":"app","detail":"ok"}\n',
  });
  expect(body).toEqual({ name: 'app' });
});

describe('env', () => {
  const bodies: unknown[] = [];
  const applied = {
    detail: 'The variables of "app" are set.',
    status: 'applied',
    deploy_id: 'dep_1',
    revision: 'app-2',
  };
  beforeEach(() => {
    bodies.length = 0;
    server.on('POST /v1/env/set', async (exchange) => {
      bodies.push(await exchange.json());
      await answerJson(200, applied)(exchange);
    });
  });

  test('a change that the service does not start with is a failure', async () => {
    const failed = {
      detail: 'Not applied: it exited with code 1.',
      status: 'failed',
      deploy_id: 'dep_1',
      revision: null,
    };
    server.on('POST /v1/env/set', answerJson(200, failed));
    expect(await berth(['env', 'set', 'app', 'A=1'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('it exited'),
    });
    const json = await berth(['env', 'set', 'app', 'A=1', '--json']);
    expect(json).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(json.stdout)).toEqual(failed);
  });

  test('set takes pairs, a file, and standard input', async () => {
    await home.write({ '.env': '# comment\nA=1\nexport B="two words"\nC=\'x#y\'\n' });
    await berth(['env', 'set', 'app', 'K=a=b', 'EMPTY=']);
    const { stdout } = await berth(['env', 'set', 'app', '--from-file', '.env', 'A=9']);
    await berth(['env', 'set', 'app', '--from-file', '-'], 'Z=last\n');
    expect(bodies).toEqual([
      { deployment_name: 'app', set: { K: 'a=b', EMPTY: '' }, unset: [] },
      { deployment_name: 'app', set: { A: '9', B: 'two words', C: 'x#y' }, unset: [] },
      { deployment_name: 'app', set: { Z: 'last' }, unset: [] },
    ]);
    expect(stdout).not.toContain('two words');
  });

  test('rm takes several', async () => {
    await berth(['env', 'rm', 'app', 'A', 'B']);
    expect(bodies).toEqual([{ deployment_name: 'app', set: {}, unset: ['A', 'B'] }]);
  });
});

describe('logs', () => {
  const entry = (n: number) => ({
    timestamp: `2026-01-01T00:00:00.${String(n).padStart(9, '0')}Z`,
    severity: 'INFO',
    message: `m${n}`,
  });

  test('the newest, whole and plain in a pipe', async () => {
    let body: unknown;
    server.on('POST /v1/deployment/logs', async (exchange) => {
      body = await exchange.json();
      await answerJson(200, { logs: [entry(1)], cursor: entry(1).timestamp })(exchange);
    });
    expect((await berth(['logs', 'app'])).stdout).toBe('2026-01-01T00:00:00.000000001Z INFO m1\n');
    expect(body).toEqual({ deployment_name: 'app', limit: 100 });
    expect((await berth(['logs', 'app', '--json'])).stdout).toBe(`${JSON.stringify(entry(1))}\n`);
  });

  test('--since pages to the end, or to the limit', async () => {
    const asked: unknown[] = [];
    server.on('POST /v1/deployment/logs', async (exchange) => {
      const { since, limit } = (await exchange.json()) as { since: string; limit: number };
      asked.push(since);
      const from = asked.length === 1 ? 0 : Number(since.slice(20, 29));
      const logs = Array.from({ length: Math.min(limit, 2_500 - from) }, (_, i) => entry(from + i + 1));
      await answerJson(200, { logs, cursor: logs.at(-1)?.timestamp ?? since })(exchange);
    });
    const lines = (await berth(['logs', 'app', '--since', '2026-01-01T00:00:00.5Z'])).stdout.trim().split('\n');
    expect(lines).toHaveLength(2_500);
    expect(lines.at(-1)).toMatch(/m2500$/);
    expect(asked).toEqual(['2026-01-01T00:00:00.5Z', entry(1_000).timestamp, entry(2_000).timestamp]);
    asked.length = 0;
    const some = (await berth(['logs', 'app', '--since', '30m', '--limit', '1200'])).stdout.trim().split('\n');
    expect(some).toHaveLength(1_200);
  });

  test('-f goes on through a restart of the server, with nothing twice', async () => {
    const page: Handler = answerJson(200, { logs: [entry(1)], cursor: entry(1).timestamp });
    const first = await createScriptedServer({
      'POST /v1/deployment/logs': page,
      'GET /v1/deployment/logs/tail': ({ response }) => {
        response.flushHeaders();
      },
    });
    const running = startBerth(['logs', 'app', '-f'], {
      cwd: home.path,
      env: { BERTH_URL: first.url, BERTH_API_KEY: 'k' },
    });
    await expect.poll(() => running.stdout).toContain('m1');
    await first.close();
    await expect.poll(() => running.stderr).toContain('Waiting for it');
    await using _second = await createScriptedServer(
      {
        'GET /v1/deployment/logs/tail': ({ query, response }) => {
          if (query.get('since') !== entry(1).timestamp) return;
          response.write(`id: ${entry(2).timestamp}\ndata: ${JSON.stringify(entry(2))}\n\n`);
        },
      },
      first.port,
    );
    await expect.poll(() => running.stdout, { timeout: 10_000 }).toContain('m2');
    running.process.kill('SIGINT');
    const { code, stdout, stderr } = await running.result;
    expect(code).toBe(130);
    expect(stdout.match(/m\d/g)).toEqual(['m1', 'm2']);
    expect(stderr).toMatch(/Can't reach Berth[\s\S]*It is back/);
  });

  test('a reader that has enough ends it without a word', async () => {
    server.on('POST /v1/deployment/logs', answerJson(200, { logs: [entry(1)], cursor: entry(1).timestamp }));
    const tail = ({ response }: Exchange) => {
      const timer = setInterval(() => response.write(`id: x\ndata: ${JSON.stringify(entry(2))}\n\n`), 20);
      response.once('close', () => clearInterval(timer));
    };
    server.on('GET /v1/deployment/logs/tail', tail);
    const running = startBerth(['logs', 'app', '-f'], {
      cwd: home.path,
      env: { BERTH_URL: server.url, BERTH_API_KEY: 'k' },
    });
    running.process.stdout.once('data', () => running.process.stdout.destroy());
    const code = await new Promise((resolve) => running.process.once('exit', resolve));
    expect(code).toBe(0);
  });
});

describe('login', () => {
  const me = {
    account: { id: 'a', name: 'acme' },
    user: null,
    key: { id: 'k', name: 'main', start: 'abc' },
    scopes: ['read'],
  };
  const alone = (words: string[], input?: string) =>
    runBerth(words, { cwd: home.path, ...(input === undefined ? {} : { input }) });

  test('checks a key from standard input, keeps it private, and it is used from then on', async () => {
    server.on('GET /v1/user', answerJson(200, me));
    server.on('GET /v1/deployment/list', answerJson(200, []));
    expect(await alone(['login', '--url', server.url], ' the-key\n')).toMatchObject({
      code: 0,
      stdout: `Signed in to ${server.url} as acme.\n`,
    });
    const file = path.join(home.path, '.config/berth/config.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain('the-key');
    expect(await alone(['ls'])).toMatchObject({ code: 0 });
    expect(server.headers.at(-1)?.['x-api-key']).toBe('the-key');
    expect(await alone(['logout'])).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).not.toContain('the-key');
    expect(await alone(['whoami', '--url', server.url])).toMatchObject({ code: 1 });
  });

  test('a wrong key is not kept', async () => {
    server.on('GET /v1/user', answerJson(401, { detail: 'No such key.' }));
    expect(await alone(['login', '--url', server.url, '--key', 'bad'])).toMatchObject({ code: 1 });
    await expect(stat(path.join(home.path, '.config'))).rejects.toThrow();
    expect(await alone(['login', '--url', server.url])).toMatchObject({ code: 2 });
  });

  test('a person gets a session, which ends with the logout', async () => {
    server.on('POST /v1/auth/sign-in/email', answerJson(200, { token: 'tok', expires_at: '', user: {} }));
    server.on('POST /v1/auth/sign-out', answerJson(200, { detail: 'ok' }));
    server.on('GET /v1/user', answerJson(200, { ...me, key: null, user: { id: 'u', name: 'Ada', email: 'a@b.c' } }));
    expect(await alone(['login', '--url', server.url, '--email', 'a@b.c'], 'pass word\n')).toMatchObject({ code: 0 });
    expect(server.headers.at(-1)?.authorization).toBe('Bearer tok');
    expect((await alone(['whoami'])).stdout).toContain('Ada <a@b.c>');
    await alone(['logout']);
    expect(server.requests.at(-1)).toBe('POST /v1/auth/sign-out');
  });

  test('the key of a server on this machine is found in its data folder', async () => {
    server.on('GET /v1/user', answerJson(200, me));
    await home.write({ '.berth/api-key': 'from-the-data-folder\n' });
    expect(await alone(['whoami', '--url', server.url])).toMatchObject({ code: 0 });
    expect(server.headers.at(-1)?.['x-api-key']).toBe('from-the-data-folder');
  });
});

test('doctor adds its own checks to the server’s, and fails without a server', async () => {
  server.on('GET /healthz', answerJson(200, { status: 'ok' }));
  server.on('GET /v1/user', answerJson(200, {}));
  const check = { id: 'memory', title: 'Memory limit', status: 'missing', detail: 'No cgroup.', remedy: 'Mount it.' };
  server.on('GET /v1/doctor', answerJson(200, { checks: [check] }));
  const good = await berth(['doctor']);
  expect(good.code).toBe(0);
  expect(good.stdout).toContain('Do: Mount it.');
  const { checks } = JSON.parse((await berth(['doctor', '--json'])).stdout) as { checks: { id: string }[] };
  expect(checks.map(({ id }) => id)).toEqual(['cli-node', 'cli-server', 'cli-key', 'memory']);
  const bad = await berth(['doctor', '--url', 'http://127.0.0.1:1']);
  expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining('npm start') });
});

test('keys and accounts print their secret alone', async () => {
  let body: unknown;
  const key = {
    id: 'key_1',
    name: 'ci',
    start: 'b',
    scopes: ['deploy'],
    expires_at: null,
    last_used_at: null,
    created_at: '',
    secret: 'sec',
  };
  server.on('POST /v1/user/keys', async (exchange) => {
    body = await exchange.json();
    await answerJson(200, key)(exchange);
  });
  server.on('POST /v1/admin/accounts', answerJson(200, { account: { id: 'a', name: 'acme' }, key }));
  server.on('DELETE /v1/user/keys', answerJson(200, { detail: 'ok' }));
  expect((await berth(['keys', 'create', 'ci', '--scope', 'deploy,logs', '--scope', 'read'])).stdout).toBe('sec\n');
  expect(body).toEqual({ name: 'ci', scopes: ['deploy', 'logs', 'read'] });
  expect((await berth(['admin', 'account', 'create', 'acme'])).stdout).toBe('sec\n');
  await berth(['keys', 'rm', 'key_1']);
  expect(server.requests.at(-1)).toBe('DELETE /v1/user/keys?id=key_1');
});

test('rollback, follow and cancel speak of deploys', async () => {
  const done = deployEvent(2, 'DONE', '', { url: 'http://app.localhost', revision: 'app-00001' });
  server.on('POST /v1/deployment/rollback', ({ response }) => {
    response.end(deployEvent(1, 'DEPLOYING', 'Moving traffic') + done);
  });
  server.on('GET /v1/deploys/*/events', ({ response }) => {
    response.end(deployEvent(1, 'BUILDING', 'a') + done);
  });
  server.on('POST /v1/deploys/*/cancel', answerJson(200, { detail: 'ok' }));
  expect(await berth(['rollback', 'app', '--revision', 'app-00001'])).toMatchObject({
    code: 0,
    stdout: 'http://app.localhost\n',
  });
  expect(await berth(['follow', 'dep_1'])).toMatchObject({ code: 0, stdout: 'http://app.localhost\n' });
  expect(await berth(['cancel', 'dep_1'])).toMatchObject({ code: 0 });
  expect(server.requests.at(-1)).toBe('POST /v1/deploys/dep_1/cancel');
});
