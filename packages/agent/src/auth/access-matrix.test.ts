import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentEnv, Handler } from '@berth/agent-core';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAgent, openAgent } from '../compose/open-agent.ts';
import { createTaskDefinitions } from '../tasks/task-definitions.ts';
import { testAuth } from '../testing/test-auth.ts';

/** The public routes; all others need a token. Source: docs/contract/agent-api.md §1, §3 and §6. */
const PUBLIC: ReadonlySet<string> = new Set([
  'GET /',
  // Needs the token of the deployment's schedule, on the platform.
  'POST /cron',
  'GET /config',
  'GET /.well-known/berth/busy',
  'GET /_page/:name',
  'GET /explore',
  'GET /examples',
  'GET /favicon.svg',
  'GET /og.png',
  'GET /llms.txt',
  'GET /robots.txt',
  'GET /sitemap.xml',
  'GET /public/:path{.+}',
  'GET /shared/:user/:token',
  'GET /share/:user/:token/data',
  'GET /share/:user/:token/file/:path{.+}',
]);

const CANARY = 'canary-of-alice';
const TURN = { messages: [{ role: 'user', content: 'hi' }] };

/** Valid bodies of the routes. */
const BODIES: Readonly<Record<string, unknown>> = {
  'POST /': TURN,
  'POST /chat': TURN,
  'POST /chat/completions': { ...TURN, model: 'any' },
  'POST /chats/:id/approvals/:key': { decision: 'approve' },
  'PUT /chats/:id': { title: 'of Bob' },
  'POST /share': { path: `chat/${CANARY}` },
  'PUT /tools/:tool': { mode: 'never' },
  'PUT /apps/:slug/data/:key{.+}': { of: 'Bob' },
};

/** Returns the body for a route. Each file is moved to a different path. */
function bodyOf(id: string, method: string): unknown {
  if (method === 'PATCH') return { to: `moved/${crypto.randomUUID()}` };
  return BODIES[id] ?? (method === 'PUT' ? 'bytes' : undefined);
}

let folder: string;
let agent: OpenAgent;
/** Alice's data, by the name of the path parameter that addresses it. */
let owned: Record<string, string>;

const call = (
  token: string | undefined,
  method: string,
  target: string,
  body?: unknown,
  headers: Record<string, string> = {},
) =>
  agent.app.request(`http://localhost${target}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined || typeof body === 'string' ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

function routes(): readonly { readonly id: string; readonly method: string; readonly path: string }[] {
  const known = agent.app.routes
    .filter((route) => route.method !== 'ALL')
    .map((route) => ({ id: `${route.method} ${route.path}`, method: route.method, path: route.path }));
  return [...new Map(known.map((route) => [route.id, route])).values()];
}

/** Returns the path of a route, with Alice's ids or with unknown ids. */
function targetOf(route: string, ids: Readonly<Record<string, string>>): string {
  const filled = route.replaceAll(/:(\w+)(\{[^}]*\})?/g, (_all, name: string) => ids[name] ?? 'unknown');
  return route === '/' || route === '/chat' ? `${filled}?id=${ids['id']}` : filled;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agent-access-'));
  const processContext = {
    environment: {},
    workingFolder: folder,
    clock: createSystemClock(),
    ids: createIdSource(),
    logger: createSilentLogger(),
    onEndSignal: () => () => {},
  };
  const definitions = createTaskDefinitions();
  definitions.task('later', {}, () => {});
  const handler: Handler = async function* ({ user }) {
    yield `told to ${user?.id}`;
  };
  agent = await openAgent(
    { name: 'matrix', auth: testAuth(), handler, dataFolder: folder },
    processContext,
    new Hono<AgentEnv>(),
    definitions,
  );
  await (await call('alice', 'POST', `/?id=${CANARY}`, { messages: [{ role: 'user', content: CANARY }] })).text();
  await call('alice', 'PUT', `/files/${CANARY}.txt`, CANARY);
  await call('alice', 'PUT', `/files/trashed-${CANARY}.txt`, CANARY);
  const deleted = await call('alice', 'DELETE', `/files/trashed-${CANARY}.txt`);
  await call('alice', 'PUT', `/apps/app/data/${CANARY}`, { canary: CANARY });
  await call('alice', 'PUT', `/tools/${CANARY}`, { mode: 'never' });
  const shared = await call('alice', 'POST', '/share', { path: `file/${CANARY}.txt` });
  const { trash_id: trashId } = (await deleted.json()) as { trash_id: string };
  const { token } = (await shared.json()) as { token: string };
  const task = await agent.tasks.enqueue('later', undefined, { user: { id: 'alice' }, delayMs: 3_600_000 });
  const { run_id: runId } = ((await (await call('alice', 'GET', '/chats')).json()) as { run_id: string }[])[0] ?? {};
  owned = {
    id: CANARY,
    path: `${CANARY}.txt`,
    slug: 'app',
    key: CANARY,
    tool: CANARY,
    token,
    user: 'alice',
    trashId,
    taskId: task.id,
    run: runId ?? '',
  };
});

afterAll(async () => {
  await agent.close();
  await rm(folder, { recursive: true, force: true });
});

describe('every route', () => {
  it('is known: nothing public was added by chance', () => {
    const ids = routes().map((route) => route.id);
    expect(ids.length).toBeGreaterThan(45);
    expect([...PUBLIC].filter((id) => !ids.includes(id))).toEqual([]);
  });

  // Holds the agent to the contract: verifies('agent.bearer'), verifies('agent.unauthenticated')
  it.each([
    ['no token', undefined, '', {}],
    ['a bad one', 'bad', '', {}],
    ['an expired one', 'expired', '', {}],
    ['a good one in the query', undefined, 'access_token=alice', {}],
    ['another scheme', undefined, '', { Authorization: 'Basic YWxpY2U6YWxpY2U=' }],
  ] as const)(
    'that is not public refuses %s with 401 and the reason, before it does anything',
    async (_what, token, query, headers) => {
      for (const { id, method, path: route } of routes()) {
        if (PUBLIC.has(id)) continue;
        const target = targetOf(route, owned);
        const asked = query === '' ? target : `${target}${target.includes('?') ? '&' : '?'}${query}`;
        const answer = await call(token, method, asked, bodyOf(id, method), headers);
        const text = await answer.text();
        expect([id, answer.status]).toEqual([id, 401]);
        expect(answer.headers.get('www-authenticate'), id).toMatch(/^Bearer\b/);
        expect(JSON.parse(text).detail ?? JSON.parse(text).error?.message, id).toEqual(
          expect.stringMatching(/\w+ \w+/),
        );
        expect(text, id).not.toContain(CANARY);
      }
    },
  );

  // Holds the agent to the contract: verifies('agent.alike')
  it('answers somebody else’s id like one that nobody has', async () => {
    const unknown = {
      ...owned,
      id: 'nobodys-id',
      path: 'nobodys.txt',
      key: 'nobodys-key',
      tool: 'nobodys-tool',
      trashId: 'trash_x',
      taskId: 'task_x',
    };
    for (const { id, method, path: route } of routes()) {
      if (PUBLIC.has(id)) continue;
      const ask = async (ids: Record<string, string>) => {
        const kind = /^\/(trash|task)/.exec(route)?.[1];
        const filled = { ...ids, id: ids[kind ? `${kind}Id` : 'id'] as string };
        const answer = await call('bob.acme', method, targetOf(route, filled), bodyOf(id, method));
        const text = await answer.text();
        return { status: answer.status, text };
      };
      // Anyone with the token may open a share; forking creates a copy for the caller.
      if (route === '/share/:user/:token/fork') continue;
      const [foreign, random] = [await ask(owned), await ask(unknown)];
      expect([id, foreign.status]).toEqual([id, random.status]);
      expect(foreign.text, id).not.toContain('told to alice');
    }
    // All of Alice's data still exists.
    expect(await (await call('alice', 'GET', `/files/${CANARY}.txt`)).text()).toBe(CANARY);
    expect(await (await call('alice', 'GET', `/chats/${CANARY}`)).json()).toMatchObject({
      title: CANARY,
      messages: [{ content: CANARY }, { content: 'told to alice' }],
    });
    expect(await (await call('alice', 'GET', `/apps/app/data/${CANARY}`)).json()).toMatchObject({
      value: { canary: CANARY },
    });
    expect(await (await call('alice', 'GET', '/tools')).json()).toEqual({ [CANARY]: 'never' });
    expect(await (await call('alice', 'GET', '/share')).json()).toHaveLength(1);
    expect(await (await call('alice', 'GET', '/tasks')).json()).toMatchObject([{ status: 'pending' }]);
    expect((await call('alice', 'POST', `/trash/${owned['trashId']}/restore`)).status).toBe(200);
  });
});
