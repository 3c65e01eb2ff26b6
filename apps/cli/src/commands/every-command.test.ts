import {
  answerJson,
  createScriptedClock,
  createScriptedServer,
  type Handler,
  type ScriptedServer,
} from '@berth/client/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandGroup, CommandSpec } from '../command/command.ts';
import { HOSTILE_ANSWERS } from '../testing/hostile-answers.ts';
import { type InProcessOptions, runInProcess } from '../testing/run-in-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { berthCommands } from './index.ts';

/** Every command that asks the platform, as it is typed, with what it needs to get as far as the first request. */
const LINES: readonly string[] = [
  ...[
    'deploy app',
    'ls',
    'get app',
    'status',
    'status app',
    'ps',
    'ps app',
    'restart app',
    'stop app',
    'resume app',
    'logs app',
    'open app',
    'chat app -m hello',
    'workspaces app',
    'redeploy app',
  ],
  ...['apply --plan', 'chat feedback app', 'chat export app c1'],
  ...[
    'rollback app',
    'promote app app-2',
    'traffic app --to app-2=10 --tag beta=app-2',
    'scale app --min 1',
    'deploys',
    'follow dep_1',
    'cancel dep_1',
    'rm app -y',
    'env set app A=1',
    'env ls app',
    'env refresh app',
    'shared set A=1',
    'shared ls',
    'shared rm A -y',
    'env pull app --file pulled.env --force',
    'link app',
    'git setup app',
  ],
  ...['env rm app A -y', 'domain add app d.example.com', 'domain verify d.example.com', 'domain ls'],
  ...['domain rm d.example.com -y', 'volume create data', 'volume ls', 'volume ls data', 'volume ls --deleted'],
  ...['volume put data file.txt', 'volume get data', 'volume mv data a b', 'volume rm data a -y'],
  ...['volume rm data a -r -y', 'volume export data', 'volume delete data -y', 'volume restore data'],
  ...['approvals ls app', 'approvals approve app k_1', 'approvals deny app k_1'],
  ...['agent rotate-keys app', 'cron ls', 'cron history app', 'cron run app', 'whoami', 'token app', 'activity'],
  ...['metrics app', 'sql SELECT', 'cost', 'subscription', 'plans', 'keys ls', 'keys create ci', 'keys rm key_1 -y'],
  ...['members ls', 'members invite', 'members invites', 'members uninvite inv_1 -y', 'members role usr_1 admin'],
  ...[
    'members reset-password a@b.c',
    'members rm usr_1 -y',
    'members leave',
    'sessions ls',
    'sessions end ses_1',
    'identities ls',
  ],
  ...['identities rm cre_1 -y', 'passkeys ls', 'passkeys rename pky_1 blue', 'passkeys rm pky_1 -y', 'profile Ada'],
  ...['alerts ls', 'alerts create x --on deploy_failed', 'alerts update alr_1 --rotate-secret', 'alerts test alr_1'],
  ...['alerts history', 'alerts rm alr_1 -y'],
  ...['repo connect app https://github.com/me/app', 'repo show app', 'repo disconnect app -y'],
  ...['repo preview-env set app KEY=value', 'repo preview-env rm app KEY'],
  ...['email a@b.c', 'admin mail ls', 'admin mail test a@b.c'],
  ...[
    'audit',
    'admin backup new.tar.zst',
    'admin backups ls',
    'admin backups create',
    'admin backups get newest.tar.zst',
    'admin prune -y',
    'admin account create acme',
  ],
  ...['admin account plan acme team', 'admin reconcile'],
];

/** Commands that ask no one, or that have tests of their own for each of these cases. */
const ELSEWHERE = [
  'init',
  'dev',
  'eval',
  'exec',
  'run',
  'proxy',
  'mcp',
  'login',
  'logout',
  'password',
  'doctor',
  'volume import',
  'admin restore',
  'git credential',
  'completion',
  'completion suggest',
];
const LOCAL = [
  'start',
  'service install',
  'service status',
  'service uninstall',
  'admin disk',
  'admin migrate',
  'admin rotate-key',
];

function namesOf(node: CommandGroup | CommandSpec, above: readonly string[] = []): string[] {
  if (!('commands' in node)) {
    const below = (node.subcommands ?? []).flatMap((child) => namesOf(child, [...above, node.name]));
    return [[...above, node.name].join(' '), ...below];
  }
  const here = node.name === 'berth' ? [] : [...above, node.name];
  return node.commands.flatMap((child) => namesOf(child, here));
}

let home: TemporaryFolder;
beforeAll(async () => {
  home = await createTemporaryFolder();
  await home.write({ 'app/index.html': '<p>hi', 'file.txt': 'text', 'platform.yaml': 'services: {}' });
  await home.write({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/x': '', '.git/refs/x': '' });
});
afterAll(() => home[Symbol.asyncDispose]());

const run = (server: Pick<ScriptedServer, 'url'>, line: string, options: InProcessOptions = {}) =>
  runInProcess(server, line.split(' '), { home: home.path, clock: createScriptedClock(), ...options });

test('no command is missing here', () => {
  const here = namesOf(berthCommands).filter((name) => LINES.some((line) => `${line} `.startsWith(`${name} `)));
  expect([...here, ...ELSEWHERE, ...LOCAL].sort()).toEqual(namesOf(berthCommands).sort());
});

describe('a server that is away', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await createScriptedServer();
    await server.close();
  });

  // Fails when `runCli` answers 0 for a thrown error, when `fail` writes to standard output, or when `connectionError` is not called.
  test.each(LINES)('berth %s ends with 1 and says which', async (line) => {
    const { code, stdout, stderr, binary } = await run(server, line);
    expect([code, stdout, binary.length]).toEqual([1, '', 0]);
    // A deploy that runs is waited for: the server may be restarting.
    const reason = line.startsWith('follow')
      ? `✗ ${server.url} has not responded for three minutes. Deploy dep_1 may still be running.`
      : `✗ Can't reach ${server.url}: nothing is listening there.\n  The URL came from BERTH_URL. Check that it is right and that the server is running.`;
    expect(stderr).toContain(reason);
    const json = await run(server, `${line} --json`);
    expect([json.code, json.stdout]).toEqual([1, '']);
    const network = line.startsWith('follow') ? 'lost' : 'ECONNREFUSED';
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'unavailable', details: { network } } });
  });
});

describe('a server that refuses', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await createScriptedServer();
    for (const method of ['GET', 'POST', 'DELETE']) {
      for (let parts = 1; parts <= 5; parts++) {
        server.on(`${method} ${'/*'.repeat(parts)}`, answerJson(403, { detail: 'This key may not do that.' }));
      }
    }
  });
  afterAll(() => server.close());

  // Fails when a command swallows an error of the server, or goes on after one.
  test.each(LINES)('berth %s ends with 1 and its sentence', async (line) => {
    const before = server.requests.length;
    const { code, stdout, stderr, binary } = await run(server, line);
    expect([code, stdout, binary.length]).toEqual([1, '', 0]);
    expect(stderr).toContain('This key may not do that.');
    expect(server.requests.length).toBeGreaterThan(before);
    expect(new Set(server.headers.slice(before).map((headers) => headers['x-api-key']))).toEqual(new Set(['test-key']));
    const json = await run(server, `${line} --json`);
    expect([json.code, json.stdout]).toEqual([1, '']);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'forbidden' } });
  });

  // Fails when `connect` makes a client without a credential.
  test.each(LINES)('berth %s is not tried without a key', async (line) => {
    const before = server.requests.length;
    const { code, stdout, stderr } = await run(server, line, { key: null });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('No API key for');
    expect(stderr).toContain('Sign in with `berth login`, or set BERTH_API_KEY.');
    expect(server.requests.slice(before)).toEqual([]);
  });
});

/** Their answers are files and streams, which other tests cover. */
const WITHOUT_ROUTES = /^(chat|workspaces|approvals|volume (put|get|export)|admin backup |admin backups get)/;

describe('a server whose texts act on terminals', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await createScriptedServer();
    for (const [route, answer] of Object.entries(HOSTILE_ANSWERS)) {
      server.on(route, typeof answer === 'function' ? (answer as Handler) : answerJson(200, answer));
    }
  });
  afterAll(() => server.close());
  const lines = LINES.filter((line) => !WITHOUT_ROUTES.test(line));

  // Fails when a command prints a text of the server without `cleanText`.
  test.each(lines)('berth %s prints none of it', async (line) => {
    const { stdout, stderr } = await run(server, line, { isTerminal: true });
    expect(stderr).not.toContain('a bug in the berth command');
    expect(`${stdout}${stderr}`.replaceAll('\r\u001b[2K', '')).not.toMatch(/owned|(?![\n\t])\p{Cc}/u);
  });

  // Fails when a command prints a sentence for people with --json, or no value at all.
  test.each(lines)('berth %s --json prints JSON and nothing else', async (line) => {
    const { stdout, stderr } = await run(server, `${line} --json`);
    const values = stdout.split('\n').slice(0, -1);
    expect([values.length > 0, stderr]).toEqual([true, '']);
    for (const value of values) expect(JSON.parse(value)).toBeTypeOf('object');
  });
});
