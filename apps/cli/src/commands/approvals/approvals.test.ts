import { answerJson, createScriptedClock, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';

let agent: ScriptedServer;
let platform: ScriptedServer;
let bodies: unknown[];
beforeEach(async () => {
  bodies = [];
  agent = await createScriptedServer({
    'GET /approvals': answerJson(200, [row('k1'), { ...row('k2'), connector: 'crm', user_id: 'bob' }]),
    'POST /approvals/*': async (exchange) => {
      const body = await exchange.json();
      bodies.push(body);
      const run = exchange.path.endsWith('k1') ? null : 'run_1';
      await answerJson(200, { ok: true, tool: 'wipe', decision: body['decision'], run })(exchange);
    },
  });
  platform = await createScriptedServer();
});
afterEach(async () => {
  await agent.close();
  await platform.close();
});

const clock = createScriptedClock();
const row = (key: string) => ({
  ...{ key, tool: 'wipe', label: 'Wipe\u202edisk', args: { what: 'disk' }, chat_id: 'c1', chat_title: 'Tidy up' },
  expires_at: new Date(clock.nowMs() + 7_800_000).toISOString(),
});
const approvals = (words: readonly string[]) => runInProcess(platform, ['approvals', ...words], { clock });

test('lists what waits: its key, when it expires, and what would run, with what nobody sees made visible', async () => {
  const { code, stdout, stderr } = await approvals(['ls', agent.url, '--token', 'tok']);
  // Fails when the label is printed as the agent sends it, or the connector is left out.
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['KEY', 'EXPIRES', 'CALL', 'TOOL'],
    ['k1', 'in 2h 10m', 'Wipe\\u{202e}disk', 'wipe {"what":"disk"}'],
    ['k2', 'in 2h 10m', 'Wipe\\u{202e}disk', 'wipe of crm {"what":"disk"}'],
    [''],
  ]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`berth approvals approve ${agent.url} KEY`)]);
  expect(agent.headers.at(-1)?.authorization).toBe('Bearer tok');
  const json = await approvals(['ls', agent.url, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject([{ key: 'k1', chat_id: 'c1' }, { key: 'k2' }]);
  agent.on('GET /approvals', answerJson(200, []));
  expect((await approvals(['ls', agent.url])).stderr).toBe('No pending tool calls.\n');
});

test('finds a deployed agent with a token of the platform, in the workspace that is named', async () => {
  agent.on('GET /workspaces', answerJson(200, [{ id: 't-1', name: 'Marketing', type: 'team', role: 'admin' }]));
  platform.on('GET /v1/deployment/helper', answerJson(200, { name: 'helper', url: agent.url }));
  const expires_at = new Date(clock.nowMs() + 600_000).toISOString();
  platform.on('POST /v1/user/token', answerJson(200, { token: 'jwt', token_type: 'Bearer', expires_at }));
  const { stdout } = await approvals(['ls', 'helper', '--workspace', 'marketing', '--members']);
  // Fails when `--members` lists only one's own, or the workspace isn't sent.
  expect(agent.requests.at(-1)).toBe('GET /approvals?scope=workspace');
  expect(agent.headers.at(-1)).toMatchObject({ authorization: 'Bearer jwt', 'x-workspace': 't-1' });
  expect(stdout).toMatch(/KEY +USER +EXPIRES[\s\S]*k2 +bob +in/);
});

test('decides on each call that is named, once, and says what follows', async () => {
  const approved = await approvals(['approve', agent.url, 'k1', 'k2', 'k2']);
  expect(approved).toMatchObject({ code: 0, stdout: '' });
  expect(approved.stderr).toBe(
    'Approved wipe. The answer continues once no other call in its chat is pending, or with the next message.\n' +
      'Approved wipe. The answer continues.\n',
  );
  await approvals(['approve', agent.url, 'k2', '--always']);
  const denied = await approvals(['deny', agent.url, 'k2', '--reason', 'Ask Ann first.', '--json']);
  expect(JSON.parse(denied.stdout)).toEqual({ key: 'k2', ok: true, tool: 'wipe', decision: 'deny', run: 'run_1' });
  await approvals(['deny', agent.url, 'k2']);
  // Fails when a key that is given twice is decided twice, or the reason is not sent.
  expect(bodies).toEqual([
    ...[{ decision: 'approve' }, { decision: 'approve' }, { decision: 'always' }],
    ...[{ decision: 'deny', reason: 'Ask Ann first.' }, { decision: 'deny' }],
  ]);
});

test('says what to do about a key that waits no more, and an agent without approvals', async () => {
  for (const route of ['GET /approvals', 'POST /approvals/*'])
    agent.on(route, answerJson(404, { detail: 'Not found' }));
  const gone = await approvals(['approve', agent.url, 'k1', 'k2']);
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining(`\`berth approvals ls ${agent.url}\``) });
  // Fails when it goes on after a failure.
  expect(agent.requests.filter((request) => request.startsWith('POST'))).toEqual(['POST /approvals/k1']);
  expect((await approvals(['ls', agent.url])).stderr).toContain('it has no sign-in');
  agent.on('GET /approvals', answerJson(401, { detail: 'No token.' }));
  expect((await approvals(['ls', agent.url])).stderr).toContain('--token or BERTH_AGENT_TOKEN');
});
