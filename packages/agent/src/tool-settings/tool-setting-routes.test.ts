import { afterAll, beforeAll, expect, it } from 'vitest';
import { wipe } from '../approvals/testing/wipe.ts';
import { scripted } from '../models/scripted.ts';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await openTestAgent();
});
afterAll(() => agent[Symbol.asyncDispose]());

const modes = async (token: string) => (await agent.call(token, 'GET', '/tools')).json();
const put = (token: string, tool: string, body: unknown) => agent.call(token, 'PUT', `/tools/${tool}`, body);

it('keeps what each person decided of each tool', async () => {
  // Holds the agent to the contract: verifies('tool.modes')
  expect(await modes('alice')).toEqual({});
  for (const [tool, mode] of Object.entries({
    run_command: 'ask',
    'github:create_issue': 'allow',
    __proto__x: 'never',
  })) {
    const response = await put('alice', tool, { mode });
    expect([response.status, await response.json()]).toEqual([200, { ok: true, mode }]);
  }
  expect((await put('alice', 'run_command', { mode: 'never' })).status).toBe(200);
  expect(await modes('alice')).toEqual({ run_command: 'never', 'github:create_issue': 'allow', __proto__x: 'never' });
  expect(await modes('bob')).toEqual({});
  expect(await modes('alice.acme')).toEqual({});
});

it('goes back to the default, twice too', async () => {
  await put('carol', 'write_file', { mode: 'ask' });
  for (let time = 0; time < 2; time++) {
    const response = await agent.call('carol', 'DELETE', '/tools/write_file');
    expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
    expect(await modes('carol')).toEqual({});
  }
});

it('refuses what is no mode and no tool, and changes nothing', async () => {
  await put('dave', 'x', { mode: 'ask' });
  for (const body of [{ mode: 'sometimes' }, {}, { mode: null }])
    expect((await put('dave', 'x', body)).status).toBe(422);
  for (const tool of ['a%20b', '%00', 'x'.repeat(129), '%2e%2e%2fx']) {
    expect((await put('dave', tool, { mode: 'allow' })).status).toBe(422);
  }
  expect(await modes('dave')).toEqual({ x: 'ask' });
});

it('asks for a token, and is not there for an agent without sign-in', async () => {
  // Holds the agent to the contract: verifies('state.auth')
  for (const token of [undefined, 'bad', 'expired']) {
    const response = await agent.call(token, 'GET', '/tools');
    expect([response.status, response.headers.get('www-authenticate')?.startsWith('Bearer')]).toEqual([401, true]);
  }
  await using open = await openTestAgent({ hasAuth: false });
  expect((await open.call(undefined, 'GET', '/tools')).status).toBe(404);
  expect((await open.call('alice', 'PUT', '/tools/x', { mode: 'ask' })).status).toBe(404);
  expect((await open.call('alice', 'GET', '/apps/x/data')).status).toBe(404);
});

it('lists the tools that the agent has, with what happens when it wants them', async () => {
  const tools = [
    wipe('destructive').tool,
    wipe('read', { name: 'look', unavailable: async () => 'there is nothing to look with' }).tool,
    wipe('write', { name: 'secret' }).tool,
  ];
  await using owned = await openTestAgent({
    model: scripted('Hello.'),
    tools,
    handler: undefined,
    isToolAllowed: ({ name }: { readonly name: string }) => name !== 'secret',
  } as object);
  const listed = async () => (await owned.call('ann', 'GET', '/tools/offered')).json();
  const [description] = ['Wipes.'];
  expect(await listed()).toEqual([
    { name: 'wipe', description, risk: 'destructive', mode: 'ask', is_chosen: false, is_available: true },
    { name: 'look', description, risk: 'read', mode: 'allow', is_chosen: false, is_available: false },
  ]);
  await owned.call('ann', 'PUT', '/tools/wipe', { mode: 'never' });
  expect((await listed())[0]).toMatchObject({ mode: 'never', is_chosen: true });
  expect(await (await agent.call('ann', 'GET', '/tools/offered')).json()).toEqual([]);
});
