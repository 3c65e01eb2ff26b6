import {
  answerJson,
  createScriptedClock,
  createScriptedServer,
  deployEvent,
  type Handler,
  type ScriptedServer,
} from '@berth/client/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandGroup, CommandSpec } from '../command/command.ts';
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
    'scale app --min 1',
    'deploys',
    'follow dep_1',
    'cancel dep_1',
    'rm app -y',
    'env set app A=1',
    'env ls app',
    'shared set A=1',
    'shared ls',
    'shared rm A -y',
    'env pull app --file pulled.env --force',
    'link app',
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
  ...['email a@b.c', 'admin mail ls', 'admin mail test a@b.c'],
  ...['audit', 'admin backup new.tar.zst', 'admin prune -y', 'admin account create acme'],
  ...['admin account plan acme team', 'admin reconcile'],
];

/** Commands that ask no one, or that have tests of their own for each of these cases. */
const ELSEWHERE = [
  'init',
  'dev',
  'eval',
  'exec',
  'mcp',
  'login',
  'logout',
  'password',
  'doctor',
  'volume import',
  'admin restore',
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

/** What renames the window, clears the screen and moves the cursor, in seven and eight bits. */
const EVIL = 'x\u001b]0;owned\u0007\u001b[2J\u009b1;1Hy\r';
const TIME = '2026-01-01T00:00:00Z';
const mount = { name: 'data', read_only: true, sub_path: '' };
const deployment = {
  ...{
    name: EVIL,
    url: `http://${EVIL}`,
    region: EVIL,
    status: 'ready',
    revision: EVIL,
    port: 1,
    memory: '1Gi',
    cpu: 1,
  },
  ...{ timeout: 1, concurrency: 1, max_instances: 0, min_instances: 0, session_affinity: false, use_http2: false },
  ...{ created_at: EVIL, updated_at: EVIL, volumes: { '/data': mount }, health: null, instances: 1, busy: 1 },
  schedule: { cron: '0 3 * * *', timezone: 'UTC' },
  revisions: [{ revision: EVIL, status: 'ready', created_at: EVIL, digest: EVIL }],
};
const domain = {
  ...{ domain: EVIL, deployment_name: EVIL, status: 'pending', target: EVIL, created_at: TIME, verified_at: null },
  proof: { txt: { name: EVIL, value: EVIL }, http: { url: EVIL, body: EVIL } },
  problems: [{ method: 'txt', message: EVIL }],
};
const scheduleRun = {
  ...{ id: 'run_1', deployment_name: EVIL, trigger: EVIL, scheduled_at: TIME, status: 'failed', ended_at: TIME },
  attempts: [{ attempt: 1, started_at: TIME, ended_at: TIME, status: null, error: EVIL }],
  next_attempt_at: null,
};
const key = { id: EVIL, name: EVIL, start: EVIL, scopes: [EVIL], last_used_at: null, expires_at: EVIL, secret: 's' };
const member = { user_id: EVIL, name: EVIL, email: EVIL, role: EVIL, joined_at: EVIL, is_you: true };
const detail = { detail: EVIL, complete: true, status: 'applied', deploy_id: EVIL };
const deploys = [
  { deploy_id: EVIL, deployment: EVIL, kind: EVIL, status: 'failed', message: EVIL, code: EVIL, revision: EVIL },
].map((one) => ({ ...one, actor: { kind: 'key', id: EVIL, name: EVIL }, created_at: TIME, ended_at: TIME }));
const limits = { deployments: 1, volumes: 1, max_instances: 1, memory: EVIL, storage_bytes: 1, log_retention_days: 1 };
const volume = { name: EVIL, size_bytes: 1, object_count: 1, created_at: EVIL, attached_to: [EVIL] };
const point = { time: TIME, requests: 1, errors: 0, p50_ms: 1, p95_ms: 1, p99_ms: 1, instances: 1, cold_starts: 0 };

const events: Handler = ({ response }) => {
  const steps = [deployEvent(1, 'BUILDING', EVIL), deployEvent(2, 'BUILDING', EVIL, { log: true })];
  response.end([...steps, deployEvent(3, 'DONE', EVIL, { url: EVIL, revision: EVIL })].join(''));
};

/** A platform that is valid in shape and hostile in every text. */
/** An alert as such a server shows it. */
const EVIL_ALERT = {
  ...{ id: EVIL, title: EVIL, condition: { type: EVIL }, deployment_name: EVIL, emails: [EVIL], webhook_url: EVIL },
  ...{ is_enabled: true, firing: [{ deployment_name: EVIL }], webhook_secret: EVIL },
};

const HOSTILE: Readonly<Record<string, object | Handler>> = {
  'GET /v1/deployment/check-name': { available: true, reason: EVIL },
  'GET /v1/deployment/list': [deployment],
  'GET /v1/deployment/instances': [
    {
      ...{ instance: EVIL, deployment_name: EVIL, revision: EVIL, state: 'ready', started_at: EVIL },
      ...{ requests: 1, busy: true, cpu: 0.5, memory_bytes: 1, server: EVIL },
    },
  ],
  'GET /v1/deployment/app': deployment,
  'POST /v1/deploy': async (exchange) => {
    await exchange.body();
    await events(exchange);
  },
  'POST /v1/deployment/redeploy': events,
  'POST /v1/deployment/restart': events,
  'POST /v1/deployment/stop': events,
  'POST /v1/deployment/resume': events,
  'GET /v1/deployment/rollback/preview': {
    ...{ from: EVIL, to: EVIL, build: { from: EVIL, to: EVIL }, settings: [{ field: EVIL, from: EVIL, to: EVIL }] },
    ...{ schedule: { from: { cron: EVIL, timezone: EVIL }, to: null }, created_volumes: [EVIL] },
    volumes: [{ mount_path: EVIL, from: null, to: { name: EVIL, sub_path: EVIL, read_only: true } }],
    variables: [{ key: EVIL, change: 'added' }],
  },
  'POST /v1/deployment/rollback': events,
  'GET /v1/deploys/dep_1/events': events,
  'POST /v1/deploys/dep_1/cancel': detail,
  'GET /v1/deploys': { deploys, next_page_token: null },
  'POST /v1/deployment/delete': detail,
  'POST /v1/deployment/logs': {
    logs: [{ timestamp: EVIL, severity: 'ERROR', message: EVIL }],
    cursor: null,
  },
  'GET /v1/deployment/metrics': {
    step_seconds: 60,
    points: [{ ...point, cold_start_ms: null, cpu_seconds: 1, memory_bytes: 1, memory_max_bytes: 1 }],
  },
  'POST /v1/env/set': detail,
  'POST /v1/env/shared/set': { ...detail, deployments: [{ name: EVIL, deploy_id: EVIL }] },
  'GET /v1/env/shared': [{ key: EVIL, updated_at: EVIL, value: EVIL, deployments: [EVIL] }],
  'GET /v1/env/list': [{ key: EVIL, updated_at: EVIL, value: EVIL }],
  'POST /v1/domain/add': domain,
  'POST /v1/domain/verify': domain,
  'GET /v1/domain/list': [domain],
  'POST /v1/domain/remove': detail,
  'POST /v1/volume/create': { name: EVIL, created: true },
  'GET /v1/volume/list': [volume, { ...volume, name: 'data' }],
  'GET /v1/volume/deleted': [{ ...volume, deleted_at: EVIL, restorable_until: EVIL }],
  'GET /v1/volume/objects': { objects: [{ path: EVIL, size: 1, updated: EVIL }], next_page_token: null },
  'POST /v1/volume/move-object': detail,
  'POST /v1/volume/delete-object': detail,
  'POST /v1/volume/delete': detail,
  'POST /v1/volume/restore': detail,
  'GET /v1/schedule/list': [
    { deployment_name: EVIL, cron: EVIL, timezone: EVIL, next_run_at: EVIL, last_run: scheduleRun },
  ],
  'GET /v1/schedule/runs': { runs: [scheduleRun], next_page_token: null },
  'POST /v1/schedule/run': scheduleRun,
  'GET /v1/user': { account: { id: EVIL, name: EVIL }, user: { name: EVIL, email: EVIL }, key, scopes: [EVIL] },
  'GET /v1/activity': {
    ...{ start: TIME, step_seconds: 60, is_complete: true },
    deployments: [{ name: EVIL, requests: [1], errors: [0] }],
  },
  'POST /v1/sql': [{ [EVIL]: EVIL, deployment: EVIL, cost: 1, currency: EVIL }],
  'GET /v1/user/subscription': {
    ...{ plan: EVIL, status: EVIL, currency: EVIL, cancel_at_period_end: false, limits },
    ...{ current_period_start: EVIL, current_period_end: EVIL },
    usage: {
      cpu_seconds: 1,
      memory_gib_seconds: 1,
      requests: 1,
      egress_bytes: 1,
      storage_gib_months: 1,
      build_seconds: 1,
      cost: 1,
    },
  },
  'GET /v1/user/plans': [{ name: EVIL, limits, is_current: true }],
  'GET /v1/user/keys': [key],
  'POST /v1/user/keys': key,
  'DELETE /v1/user/keys': detail,
  'GET /v1/user/members': [member],
  'POST /v1/user/members': member,
  'POST /v1/user/members/reset-password': { user_id: EVIL, email: EVIL, link: EVIL, expires_at: EVIL },
  'DELETE /v1/user/members': detail,
  'GET /v1/user/invites': [{ id: EVIL, role: EVIL, email: EVIL, expires_at: EVIL }],
  'POST /v1/user/invites': { role: EVIL, link: EVIL },
  'DELETE /v1/user/invites': detail,
  'POST /v1/user/leave': detail,
  'GET /v1/user/sessions': [
    { id: EVIL, is_current: true, address: EVIL, user_agent: EVIL, created_at: EVIL, last_used_at: EVIL },
  ],
  'DELETE /v1/user/sessions': detail,
  'GET /v1/user/identities': {
    identities: [{ id: EVIL, name: EVIL, issuer: EVIL, provider: null, created_at: EVIL }],
  },
  'DELETE /v1/user/identities': detail,
  'GET /v1/user/passkeys': [{ id: EVIL, name: EVIL, is_synced: true, created_at: EVIL, last_used_at: EVIL }],
  'POST /v1/user/passkeys/rename': { id: EVIL, name: EVIL },
  'DELETE /v1/user/passkeys': detail,
  'POST /v1/user/profile': { name: EVIL },
  'GET /v1/alerts': [EVIL_ALERT],
  'POST /v1/alerts': EVIL_ALERT,
  'POST /v1/alerts/update': EVIL_ALERT,
  'POST /v1/alerts/rotate-secret': EVIL_ALERT,
  'POST /v1/alerts/test': { id: EVIL },
  'DELETE /v1/alerts': { detail: EVIL },
  'GET /v1/alerts/history': [
    {
      ...{ time: EVIL, title: EVIL, kind: EVIL, message: EVIL },
      deliveries: [{ channel: EVIL, state: EVIL, last_error: EVIL }],
    },
  ],
  'POST /v1/user/email': { detail: EVIL },
  'POST /v1/admin/mail/test': { detail: EVIL },
  'GET /v1/admin/mail': {
    is_configured: true,
    counts: { queued: 1, sent: 0, dead: 0 },
    mails: [{ kind: EVIL, to: EVIL, state: 'queued', attempts: 1, last_error: EVIL, created_at: EVIL }],
  },
  'POST /v1/user/token': { token: 'jwt', expires_at: TIME },
  'GET /v1/user/audit': {
    entries: [{ time: EVIL, action: EVIL, target: EVIL, actor: { kind: EVIL, id: EVIL }, actor_name: EVIL }],
    next_page_token: null,
  },
  'POST /v1/admin/prune': { removed: [{ what: 'caches', count: 1, size_bytes: 1 }], size_bytes: 1 },
  'POST /v1/admin/accounts': { account: { id: EVIL, name: EVIL }, key },
  'POST /v1/admin/accounts/plan': { name: EVIL, plan: EVIL },
  'GET /v1/admin/reconcile': {
    checked: 1,
    off: [{ account: EVIL, day: EVIL, resource: EVIL, sku: EVIL, metered: EVIL, logged: EVIL }],
  },
};

/** Their answers are files and streams, which other tests cover. */
const WITHOUT_ROUTES = /^(chat|workspaces|approvals|volume (put|get|export)|admin backup)/;

describe('a server whose texts act on terminals', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await createScriptedServer();
    for (const [route, answer] of Object.entries(HOSTILE)) {
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
