import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConnectorRow, Frame, ToolMode } from '@berth/contract/agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCurrentHandler } from '../../packages/agent-connectors/src/mcp/testing/serve-current.ts';
import { serveEverything } from '../../packages/agent-connectors/src/mcp/testing/serve-everything.ts';
import { openTestProvider } from '../../packages/agent-connectors/src/oauth/testing/test-provider.ts';
import { createAccount, createColleague } from '../harness/accounts.ts';
import { type AgentCaller, agentToken, callerOf, deployAgent, type FrameEvent, textOf } from '../harness/agents.ts';
import type { ServiceRequest } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const NAME = 'agent-connectors';
const KEY = 'good-key-of-ada';
/** The example's three systems: a server from npm, one behind a sign-in, an API with keys. */
const [everything, notes] = await Promise.all([serveEverything(), openTestProvider()]);
const github = createServer((request, response) => {
  const isGood = request.headers.authorization === `Bearer ${KEY}`;
  response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' });
  const isList = request.url?.startsWith('/user/repos');
  response.end(JSON.stringify(isList ? [{ full_name: 'ada/engine', description: null }] : { login: 'ada' }));
});

await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
const githubUrl = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
const hostPorts = [everything.url, notes.resource, githubUrl].map((url) => new URL(url).port);
const berth = useBerth({ args: ['--host-ports', hostPorts.join(',')] });

/** Owns the account, so that she is an admin of the organization. */
let ada: AgentCaller;
let bob: AgentCaller;
/** Of another account. */
let eve: AgentCaller;

beforeAll(async () => {
  const mcp = createCurrentHandler();
  notes.misbehave('/mcp', async ({ method, headers, body }, usual) => {
    const { status = 200, ...answer } = usual();
    if (status === 401) return { status, ...answer };
    const sent = { method, headers: headers as Record<string, string>, ...(method === 'POST' && { body }) };
    const told = await mcp.fetch(new Request(notes.resource, sent));
    return { status: told.status, headers: Object.fromEntries(told.headers), body: await told.text() };
  });
  const colleague = await createColleague(berth, 'bob');
  const other = await createAccount(berth, 'eve');
  await deployAgent(berth, NAME, NAME);
  const set = {
    EVERYTHING_URL: everything.url,
    NOTES_URL: notes.resource,
    GITHUB_URL: githubUrl,
    BERTH_AGENT_ALLOWED_NETWORKS: '127.0.0.1/32',
  };
  const changed = await berth.post('/v1/env/set', { deployment_name: NAME, set });
  expect(await changed.json()).toMatchObject({ status: 'applied' });
  ada = callerOf(berth, NAME, await agentToken(berth, NAME));
  bob = callerOf(berth, NAME, await agentToken(berth, NAME, colleague.credential));
  eve = callerOf(berth, NAME, await agentToken(berth, NAME, { 'X-API-Key': other.key }));
}, 180_000);
afterAll(async () => {
  github.close();
  await everything[Symbol.asyncDispose]();
  await notes[Symbol.asyncDispose]();
});

const general = { headers: { 'x-workspace': 't-shared' } };
const rows = async (caller: AgentCaller, options?: ServiceRequest) =>
  (await caller.call('GET', '/connectors', undefined, options)).json<ConnectorRow[]>();
const row = async (caller: AgentCaller, name: string, options?: ServiceRequest) =>
  (await rows(caller, options)).find((one) => one.name === name);

async function say(caller: AgentCaller, chat: string, text: string, more = {}, options?: typeof general) {
  using turn = await caller.turn(chat, text, more, options);
  expect(turn.status).toBe(200);
  return await turn.finish();
}
/** The card of a turn. */
function cardOf(events: readonly FrameEvent[], action: string): Frame & Readonly<Record<string, unknown>> {
  const found = events.find(({ frame }) => frame !== '[DONE]' && frame.type === 'ui' && frame.action === action);
  if (!found) throw new Error(`no ${action}: ${JSON.stringify(events)}`);
  return found.frame as Frame & Readonly<Record<string, unknown>>;
}
const decide = (caller: AgentCaller, chat: string, key: unknown, decision: string) =>
  caller.call('POST', `/chats/${chat}/approvals/${key}`, { decision, resume: false });

/** Signs in as a browser would, and answers the page at the end. */
async function signIn(caller: AgentCaller, query = '', options?: ServiceRequest) {
  const begun = await caller.call('POST', `/connectors/notes/authorize${query}`, {}, options);
  expect(begun.status).toBe(200);
  // The provider redirects to the platform's own address, which passes the callback on to the agent.
  const relayed = await fetch(await notes.consent(begun.json<{ url: string }>().url), { redirect: 'manual' });
  const back = new URL(relayed.headers.get('location') ?? '');
  expect(back.host).toContain(NAME);
  const cookie = String(begun.headers['set-cookie']).split(';', 1)[0] as string;
  return callerOf(berth, NAME).call('GET', back.pathname + back.search, undefined, {
    headers: { cookie, accept: 'text/html', 'user-agent': 'Mozilla/5.0' },
  });
}

describe('a server from npm without a sign-in', () => {
  it('has tools and prompts, and each person says which of them run', async () => {
    expect((await rows(ada)).map(({ name, auth, connected }) => [name, auth, connected])).toEqual([
      ['everything', 'none', true],
      ['notes', 'oauth', false],
      ['github', 'key', false],
    ]);
    const tools = async () =>
      (await ada.call('GET', '/connectors/everything/tools')).json<{ name: string; mode: ToolMode }[]>();
    const modes = async () => Object.fromEntries((await tools()).map(({ name, mode }) => [name, mode]));
    expect(await modes()).toMatchObject({ echo: 'allow', 'get-sum': 'ask' });
    const prompts = (await ada.call('GET', '/connectors/everything/prompts')).json<{ name: string }[]>();
    expect(prompts.map(({ name }) => name)).toContain('simple-prompt');
    const set = (tool: string, mode: string) => ada.call('PUT', `/connectors/everything/tools/${tool}`, { mode });
    expect((await set('get-env', 'never')).status).toBe(200);
    expect((await set('get-env', 'perhaps')).status).toBe(400);
    expect(await modes()).toMatchObject({ 'get-env': 'never' });
    const hidden = textOf(await say(ada, 'never', 'call everything get-env'));
    expect(hidden).toContain('Available tools: ');
  });

  it('is asked for a call that is approved, and not for one that is denied', async () => {
    const asked = await say(ada, 'sum', 'call everything get-sum {"a":40,"b":2}');
    const card = cardOf(asked, 'confirm');
    expect(card).toMatchObject({ connector: 'everything', tool: 'everything__get-sum', args: { a: 40, b: 2 } });
    expect((await decide(bob, 'sum', card['key'], 'approve')).status).toBe(404);
    expect((await decide(ada, 'sum', card['key'], 'approve')).status).toBe(200);
    expect(textOf(await say(ada, 'sum', 'Go on.'))).toContain('42');
    const next = cardOf(await say(ada, 'sum', 'call everything get-sum {"a":1,"b":1}'), 'confirm');
    expect((await decide(ada, 'sum', next['key'], 'deny')).status).toBe(200);
    expect(textOf(await say(ada, 'sum', 'And?'))).toContain('refused');
    expect(textOf(await say(ada, 'sum', 'call everything echo {"message":"hello"}'))).toContain('Echo: hello');
    // From now on without a question, for her alone.
    const last = cardOf(await say(ada, 'sum', 'call everything get-sum {"a":1,"b":1}'), 'confirm');
    expect((await decide(ada, 'sum', last['key'], 'always')).status).toBe(200);
    await say(ada, 'sum', 'Go on.');
    expect(textOf(await say(ada, 'sum', 'call everything get-sum {"a":2,"b":3}'))).toContain('5');
    cardOf(await say(bob, 'sum', 'call everything get-sum {"a":2,"b":3}'), 'confirm');
    expect(textOf(await say(ada, 'sum', 'find add two numbers'))).toContain('everything__get-sum');
  });
});

describe('a server behind a sign-in', () => {
  it('is connected by each for themselves, and disconnected', async () => {
    expect(cardOf(await say(ada, 'notes', 'Hi', { connectors: ['notes'] }), 'connect')).toMatchObject({
      connector: 'notes',
      title: 'Notion',
    });
    const page = await signIn(ada);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Notion is connected')]);
    expect(await row(ada, 'notes')).toMatchObject({ connected: true, connected_as: 'user' });
    expect([await row(bob, 'notes'), await row(eve, 'notes')]).toMatchObject([
      { connected: false },
      { connected: false },
    ]);
    await ada.call('PUT', '/connectors/notes/tools/add', { mode: 'ask' });
    const { key } = cardOf(await say(ada, 'notes', 'call notes add {"a":3,"b":4}'), 'confirm');
    expect(textOf(await say(ada, 'notes', 'Go on.', { approvals: [key] }))).toContain('7');
    // Off, it is kept, and not in turns.
    expect((await ada.call('PATCH', '/connectors/notes', { on: false })).status).toBe(200);
    expect(textOf(await say(ada, 'notes', 'call notes add {"a":3,"b":4}'))).toContain('Available tools: ');
    await ada.call('PATCH', '/connectors/notes', { on: true });
    const given = notes.asked('/mcp').at(-1)?.headers.authorization?.replace('Bearer ', '') ?? '';
    expect(notes.isGood(given)).toBe(true);
    expect((await ada.call('DELETE', '/connectors/notes')).status).toBe(200);
    expect(await row(ada, 'notes')).toMatchObject({ connected: false, connected_as: null });
    expect(notes.isGood(given)).toBe(false);
  });

  it('is connected for a workspace by who manages it, and used by all in it', async () => {
    const refused = await bob.call('POST', '/connectors/notes/authorize?scope=workspace', {}, general);
    expect(refused.status).toBe(403);
    expect((await signIn(ada, '?scope=workspace', general)).status).toBe(200);
    expect(await row(bob, 'notes', general)).toMatchObject({ connected_as: 'workspace', admin: false });
    const told = await say(bob, 'shared', 'call notes add {"a":3,"b":4}', {}, general);
    expect(textOf(told)).toContain('7');
    expect(await row(bob, 'notes')).toMatchObject({ connected: false });
    expect(await row(eve, 'notes', general)).toMatchObject({ connected: false });
    // The organization takes it away from all.
    expect((await bob.call('PATCH', '/connectors/notes', { allowed: false }, general)).status).toBe(403);
    expect((await ada.call('PATCH', '/connectors/notes', { allowed: false }, general)).status).toBe(200);
    expect(await row(bob, 'notes', general)).toBeUndefined();
    expect(await row(eve, 'notes')).toMatchObject({ allowed: true });
    await ada.call('PATCH', '/connectors/notes', { allowed: true });
  });
});

describe('an API with a key', () => {
  it('is called with it, by the agent and by the person, who never see it again', async () => {
    const put = (key: string) => ada.call('PUT', '/connectors/github/key', { key });
    expect((await put('wrong')).status).toBe(400);
    expect((await ada.call('GET', '/connectors/github/fetch/user')).status).toBe(401);
    expect((await put(KEY)).json()).toMatchObject({ ok: true, connected_as: 'user' });
    const listed = await say(ada, 'github', 'call github list_repositories');
    expect(textOf(listed)).toContain('ada/engine');
    const fetched = await ada.call('GET', '/connectors/github/fetch/user?verbose=1');
    expect([fetched.status, fetched.json()]).toEqual([200, { login: 'ada' }]);
    expect((await bob.call('GET', '/connectors/github/fetch/user')).status).toBe(401);
    expect((await ada.call('GET', '/connectors/github/fetch/..%2f..%2fadmin')).status).toBe(400);
    const seen = [await ada.call('GET', '/connectors'), await ada.call('GET', '/chats/github'), fetched];
    expect(JSON.stringify([listed, ...seen.map(({ text, headers }) => [text, headers])])).not.toContain(KEY);
    await ada.call('DELETE', '/connectors/github');
    expect((await ada.call('GET', '/connectors/github/fetch/user')).status).toBe(401);
  });
});
