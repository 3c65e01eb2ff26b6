import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { key } from '@berth/agent-connectors';
import { type AgentEnv, type AuthProvider, unauthenticated } from '@berth/agent-core';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { openAgent } from '../compose/open-agent.ts';
import { createTaskDefinitions } from '../tasks/task-definitions.ts';

const CANARY = 'canary-5e1';
const ALICE = { id: 'alice', orgId: 'acme', name: `Alice ${CANARY}`, email: `${CANARY}@example.com` };

/** Knows the token of one person, so that the token of a share isn't taken for a person's. */
const auth: AuthProvider = {
  open: () => ({
    signIn: null,
    async verify(token) {
      if (token === 'alice-token') return ALICE;
      throw unauthenticated('The token is not one of this agent.');
    },
  }),
};

/** The places in which a client could send a token. */
const CARRIERS: Readonly<
  Record<string, (token: string) => { readonly headers?: HeadersInit; readonly query?: string }>
> = {
  bearer: (token) => ({ headers: { Authorization: `Bearer ${token}` } }),
  basic: (token) => ({ headers: { Authorization: `Basic ${btoa(`share:${token}`)}` } }),
  cookie: (token) => ({
    headers: { Cookie: `token=${token}; session=${token}; share=${token}; access_token=${token}` },
  }),
  query: (token) => ({ query: `token=${token}&share=${token}&access_token=${token}&ws=u-alice` }),
  header: (token) => ({
    headers: { 'X-Share': token, 'X-Api-Key': token, 'X-Token': token, 'X-Workspace': 'u-alice' },
  }),
};

/** An agent that has a shared chat, and other data that nobody shared. */
async function openShared() {
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-share-'));
  const definitions = createTaskDefinitions();
  definitions.task('work', {}, () => {});
  const agent = await openAgent(
    {
      ...{
        name: 'shared',
        auth,
        dataFolder,
        workspaces: 'member',
        memory: true,
        protocols: { a2a: true, mcp: true, agUi: true },
      },
      connectors: [key({ name: 'crm', title: 'CRM', api: { baseUrl: 'https://crm.example/' } })],
      async *handler({ messages }) {
        yield `You said ${String(messages.at(-1)?.content)}`;
      },
    },
    {
      ...{ environment: {}, workingFolder: dataFolder, clock: createSystemClock(), ids: createIdSource() },
      ...{ logger: createSilentLogger(), onEndSignal: () => () => {} },
    },
    new Hono<AgentEnv>(),
    definitions,
  );
  const ask = async (method: string, target: string, init: RequestInit = {}) =>
    await agent.app.request(`http://localhost${target}`, { method, ...init });
  const asAlice = async (method: string, target: string, body?: unknown) => {
    const isText = typeof body === 'string';
    const headers = { Authorization: 'Bearer alice-token', ...(!isText && { 'Content-Type': 'application/json' }) };
    const init = body === undefined ? { headers } : { headers, body: isText ? body : JSON.stringify(body) };
    const response = await ask(method, target, init);
    const text = await response.text();
    expect([method, target, response.status]).toEqual([method, target, 200]);
    return text;
  };
  const say = (id: string, content: string) => asAlice('POST', `/?id=${id}`, { messages: [{ role: 'user', content }] });
  await asAlice('PUT', '/files/secret.txt', CANARY);
  await asAlice('PUT', '/connectors/crm/key', { key: CANARY });
  await asAlice('POST', '/memory', { text: CANARY });
  await asAlice('PUT', '/apps/app/data/row', { text: CANARY });
  await asAlice('POST', '/workspaces', { name: CANARY });
  await say('private', CANARY);
  await say('open', 'hello');
  const share = JSON.parse(await asAlice('POST', '/share', { path: 'chat/open' })) as { token: string; url: string };
  return {
    ask,
    share,
    routes: agent.app.routes,
    /** What Alice has, as she sees it. */
    kept: () =>
      Promise.all(
        ['/chats', '/files', '/share', '/memory', '/connectors', '/workspaces'].map((at) => asAlice('GET', at)),
      ),
    async [Symbol.asyncDispose]() {
      await agent.drain(0);
      await agent.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Returns a path of a route, with what Alice has as its parameters. */
function fill(route: string, { token, url }: { readonly token: string; readonly url: string }): string {
  const values: Readonly<Record<string, string>> = {
    ...{
      token,
      user: url.split('/')[2] ?? '',
      id: 'private',
      path: 'secret.txt',
      name: 'crm',
      app: 'app',
      key: 'row',
      seq: '1',
    },
  };
  return route
    .replaceAll(/:(\w+)(?:\{[^}]*\})?\??/g, (_all, name: string) => values[name] ?? '1')
    .replace('*', 'secret.txt');
}

// Fails when a route takes the token of a share for more than that share. Routes that are added later are tried, too.
it("the token of a share opens that share's chat, and no other route", async () => {
  await using agent = await openShared();
  const { ask, share } = agent;
  const shown = await ask('GET', `${share.url.replace(/^\/shared/, '/share')}/data`);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('You said hello')]);
  const before = await agent.kept();
  expect(before.join()).toContain(CANARY);

  const targets = new Set(
    agent.routes.flatMap(({ method, path: route }) =>
      (method === 'ALL' ? ['GET', 'POST'] : [method]).map((one) => `${one} ${fill(route, share)}`),
    ),
  );
  expect(targets.size).toBeGreaterThan(80);
  const wrong: unknown[] = [];
  let refused = 0;
  for (const one of targets) {
    const [method = '', target = ''] = one.split(' ');
    const body = method === 'GET' || method === 'HEAD' ? {} : { body: '{}' };
    const json = { 'Content-Type': 'application/json' };
    const plain = await ask(method, target, { headers: json, ...body });
    await plain.text();
    if (plain.status === 401) refused++;
    for (const [carrier, carry] of Object.entries(CARRIERS)) {
      const { headers, query } = carry(share.token);
      const at = query === undefined ? target : `${target}?${query}`;
      const response = await ask(method, at, { headers: { ...json, ...headers }, ...body });
      const text = await response.text();
      // A parameter or a bad token may be refused earlier, but nothing may succeed that fails without the token.
      const isOpened = response.ok && !plain.ok;
      if (isOpened || text.includes(CANARY)) wrong.push([carrier, method, target, plain.status, response.status, text]);
    }
  }
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(50);
  expect(await agent.kept()).toEqual(before);
});
