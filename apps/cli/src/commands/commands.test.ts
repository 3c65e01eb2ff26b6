import { answerJson, deployEvent } from '@berth/client/testing';
import type { Deployment } from '@berth/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { useBerth } from '../testing/use-berth.ts';

const berth = useBerth();

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
  min_instances: 0,
  session_affinity: false,
  use_http2: false,
  volumes: { '/data': { name: 'v', read_only: true, sub_path: 'x' } },
  schedule: null,
  health: null,
  instances: 1,
  busy: 0,
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
    [2, ['deploy', '--wait', '--detach']],
    [2, ['deploy', '--archive', 'a', '--source-object', 'v/a']],
    [1, ['ls', '--url', 'http://127.0.0.1:1']],
    [1, ['get', 'nothing']],
  ])('%i for berth %j', async (code, words) => {
    const result = await berth.run(words);
    expect(result).toMatchObject({ code });
    if (code !== 0) expect(result.stdout).toBe('');
  });
});

test('a wrong command line is told in the same way as a wrong value', async () => {
  expect((await berth.run(['lss'])).stderr).toMatch(
    /^x Unknown command 'lss'\n.*Did you mean ls.*\n {2}Run `berth --help` for usage\./s,
  );
  expect(JSON.parse((await berth.run(['ls', '--colour', '--json'])).stderr)).toMatchObject({
    error: { code: 'usage' },
  });
  expect(JSON.parse((await berth.run(['rm', 'app', '--json'])).stderr)).toMatchObject({ error: { code: 'usage' } });
});

test.each([
  ['delete app', 'rm'],
  // Looks like `deploy`, which does the opposite.
  ['destroy app', 'rm'],
  ['list', 'ls'],
  ['secrets', 'env'],
  ['env add app A=1', 'set'],
  ['volume destroy data', 'delete'],
])('berth %s is told what it is called here', async (line, name) => {
  const { code, stderr } = await berth.run(line.split(' '));
  expect(code).toBe(2);
  expect(stderr).toContain(`(Did you mean ${name}?)`);
});

test('a usage error names the help of the command that was typed', async () => {
  expect((await berth.run(['ls', '--colour'])).stderr).toContain('Run `berth ls --help` for usage.');
  expect((await berth.run(['env', 'set'])).stderr).toContain('Run `berth env set --help` for usage.');
});

test('the help groups commands, and each command says first what it does', async () => {
  expect((await berth.run([])).stdout).toMatch(
    /^Build and deploy:\n {2}init .*^Deployments:\n {2}status .*^Agents:\n {2}chat /ms,
  );
  expect((await berth.run(['token', '--help'])).stdout).toMatch(
    /^Usage: .*\n\nPrint an access token for a deployed agent\.\n/,
  );
});

test('every command has help with examples', async () => {
  const words = [['deploy'], ['ls'], ['logs'], ['env', 'set'], ['keys', 'create'], ['admin', 'account', 'create']];
  for (const command of words) {
    const { stdout } = await berth.run([...command, '--help']);
    expect(stdout).toContain(`Usage: berth ${command.join(' ')}`);
    expect(stdout).toContain('Examples:');
    expect(stdout).toContain('--json');
  }
});

test('a value that was typed as a secret is not repeated', async () => {
  const { code, stderr } = await berth.run(['env', 'set', 'app', 's3cret-value']);
  expect(code).toBe(2);
  expect(stderr).not.toContain('s3cret');
});

test('ls is a table for people and an array for programs', async () => {
  berth.server.on(
    'GET /v1/deployment/list',
    answerJson(200, [deployment(), deployment({ name: 'b', status: 'failed', instances: 2, busy: 1 })]),
  );
  const table = await berth.run(['ls']);
  expect(table.stdout.split('\n')[0]).toMatch(/^NAME +STATUS +INSTANCES +REVISION +UPDATED +URL$/);
  expect(table.stdout).toMatch(/^app +ready +1 +app-00002 +\d+d ago +http:\/\/app\.localhost:8787$/m);
  expect(table.stdout).toMatch(/^b +failed +2 \(1 busy\) /m);
  expect(table.stdout).not.toContain('\x1b');
  expect(JSON.parse((await berth.run(['ls', '--json'])).stdout)).toHaveLength(2);
  berth.server.on('GET /v1/deployment/list', answerJson(200, []));
  expect(await berth.run(['ls'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('berth deploy'),
  });
});

test('get shows the settings and the revisions', async () => {
  const revisions = [
    { revision: 'app-00002', created_at: '2026-01-01T00:00:00Z', status: 'ready', digest: 'sha256:abc' },
  ];
  berth.server.on('GET /v1/deployment/app', answerJson(200, { ...deployment(), revisions }));
  const failed = { deploy_id: 'dep_9', status: 'failed', code: 'start_failed', message: 'It exited with 1.' };
  berth.server.on('GET /v1/deploys', answerJson(200, { deploys: [{ ...failed, created_at: '2026-01-01' }] }));
  const { stdout } = await berth.run(['get', 'app']);
  expect(stdout).toContain('/data = v/x (read only)');
  expect(stdout).toContain('app-00002 (serving)');
  // Fails when `findFailure` is not called.
  expect(stdout).toMatch(/The last deploy failed .*: It exited with 1\. \(start_failed\)\nberth follow dep_9/);
  expect(JSON.parse((await berth.run(['get', 'app', '--json'])).stdout)).toMatchObject({ failure: failed });
});

test('open prints the address alone', async () => {
  berth.server.on('GET /v1/deployment/app', answerJson(200, { ...deployment(), revisions: [] }));
  expect((await berth.run(['open', 'app'])).stdout).toBe('http://app.localhost:8787\n');
});

test('an error is a sentence, or JSON under --json, and never on standard output', async () => {
  berth.server.on('GET /v1/deployment/other', answerJson(403, { detail: 'Another account owns "other".' }));
  expect(await berth.run(['get', 'other'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'x Another account owns "other".\n',
  });
  const { stdout, stderr } = await berth.run(['get', 'other', '--json']);
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toEqual({ error: { code: 'forbidden', message: 'Another account owns "other".' } });
});

test('a wrong key says where it came from', async () => {
  berth.server.on('GET /v1/user', answerJson(401, { detail: 'No such key.' }));
  expect((await berth.run(['whoami'])).stderr).toMatch(/No such key\.\n.*BERTH_API_KEY.*berth login/);
});

describe('a removal', () => {
  const bodies: unknown[] = [];
  const mount = { name: 'data', read_only: false, sub_path: '' };
  beforeEach(() => {
    bodies.length = 0;
    for (const name of ['app', 'blog']) {
      const row = { name, url: `http://${name}.localhost`, volumes: { '/data': mount }, revisions: [{}, {}] };
      const schedule = { cron: '0 3 * * *', timezone: 'UTC' };
      berth.server.on(`GET /v1/deployment/${name}`, answerJson(200, { ...row, schedule }));
    }
    berth.server.on('GET /v1/deployment/gone', answerJson(404, { detail: 'No deployment "gone".' }));
    berth.server.on('GET /v1/env/list', answerJson(200, [{ key: 'TOKEN' }]));
    berth.server.on('GET /v1/domain/list', answerJson(200, [{ domain: 'shop.example.com' }]));
    berth.server.on('POST /v1/deployment/delete', async (exchange) => {
      bodies.push(await exchange.json());
      await answerJson(200, { detail: 'ok' })(exchange);
    });
  });

  test('takes several names with -y, and says what goes and what stays', async () => {
    const { code, stdout, stderr } = await berth.run(['rm', 'app', 'blog', '-y']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\nok\n' });
    expect(stderr).toContain(
      'Deletes app: http://app.localhost, 2 revisions, 1 variable, the schedule 0 3 * * *, shop.example.com. Keeps its logs, volume data.',
    );
    expect(bodies).toEqual([{ name: 'app' }, { name: 'blog' }]);
    expect((await berth.run(['rm', 'app', '-y', '--json'])).stdout).toBe('{"name":"app","detail":"ok"}\n');
  });

  // Fails when names are looked up one by one: the first would be gone before the second is found to be none.
  test('of a name that is not there removes none of the others', async () => {
    expect(await berth.run(['rm', 'app', 'gone', '-y'])).toMatchObject({ code: 1, stdout: '' });
    expect(bodies).toEqual([]);
  });

  // Fails when a removal does not ask: `requireAnswer` and `confirmLoss` are what stands before it.
  test.each([
    [['rm', 'app']],
    [['volume', 'delete', 'data']],
    [['volume', 'rm', 'data', 'a.txt']],
    [['keys', 'rm', 'key_1']],
    [['env', 'rm', 'app', 'A']],
    [['domain', 'rm', 'a.example.com']],
    [['members', 'rm', 'usr_1']],
    [['members', 'uninvite', 'inv_1']],
    [['passkeys', 'rm', 'pky_1']],
    [['identities', 'rm', 'cre_1']],
  ])('%j is refused where nobody can be asked', async (words) => {
    const before = berth.server.requests.length;
    expect(await berth.run(words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Add -y') });
    expect(berth.server.requests.slice(before)).toEqual([]);
  });
});

test('doctor adds its own checks to the server’s, and fails without a server', async () => {
  berth.server.on('GET /healthz', answerJson(200, { status: 'ok' }));
  berth.server.on('GET /v1/user', answerJson(200, {}));
  const check = { id: 'memory', title: 'Memory limit', status: 'missing', detail: 'No cgroup.', remedy: 'Mount it.' };
  berth.server.on('GET /v1/doctor', answerJson(200, { checks: [check] }));
  const good = await berth.run(['doctor']);
  expect(good.code).toBe(0);
  expect(good.stdout).toContain('Do: Mount it.');
  expect(good.stdout).toContain(
    "Don't let untrusted people deploy to this server. Not enforced, most important first: sandbox,",
  );
  const { checks } = JSON.parse((await berth.run(['doctor', '--json'])).stdout) as { checks: { id: string }[] };
  expect(checks.map(({ id }) => id)).toEqual(['cli-node', 'cli-server', 'cli-key', 'memory']);
  const bad = await berth.run(['doctor', '--url', 'http://127.0.0.1:1']);
  expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining('berth start') });
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
  berth.server.on('POST /v1/user/keys', async (exchange) => {
    body = await exchange.json();
    await answerJson(200, key)(exchange);
  });
  berth.server.on('POST /v1/admin/accounts', answerJson(200, { account: { id: 'a', name: 'acme' }, key }));
  berth.server.on('DELETE /v1/user/keys', answerJson(200, { detail: 'ok' }));
  expect((await berth.run(['keys', 'create', 'ci', '--scope', 'deploy,logs', '--scope', 'read'])).stdout).toBe('sec\n');
  expect(body).toEqual({ name: 'ci', scopes: ['deploy', 'logs', 'read'] });
  expect((await berth.run(['admin', 'account', 'create', 'acme'])).stdout).toBe('sec\n');
  berth.server.on('GET /v1/user/keys', answerJson(200, [{ id: 'key_1', name: 'ci' }]));
  await berth.run(['keys', 'rm', 'key_1', '-y']);
  expect(berth.server.requests.at(-1)).toBe('DELETE /v1/user/keys?id=key_1');
});

test('rollback, follow and cancel speak of deploys', async () => {
  const same = { build: null, settings: [], schedule: null, volumes: [], created_volumes: [], variables: [] };
  const preview = { from: 'app-00002', to: 'app-00001', ...same };
  berth.server.on('GET /v1/deployment/rollback/preview', answerJson(200, preview));
  const done = deployEvent(2, 'DONE', '', { url: 'http://app.localhost', revision: 'app-00001' });
  berth.server.on('POST /v1/deployment/rollback', ({ response }) => {
    response.end(deployEvent(1, 'DEPLOYING', 'Moving traffic') + done);
  });
  berth.server.on('GET /v1/deploys/*/events', ({ response }) => {
    response.end(deployEvent(1, 'BUILDING', 'a') + done);
  });
  berth.server.on('POST /v1/deploys/*/cancel', answerJson(200, { detail: 'ok' }));
  expect(await berth.run(['rollback', 'app', '--revision', 'app-00001'])).toMatchObject({
    code: 0,
    stdout: 'http://app.localhost\n',
  });
  expect(await berth.run(['follow', 'dep_1'])).toMatchObject({ code: 0, stdout: 'http://app.localhost\n' });
  expect(await berth.run(['cancel', 'dep_1'])).toMatchObject({ code: 0 });
  expect(berth.server.requests.at(-1)).toBe('POST /v1/deploys/dep_1/cancel');
});
