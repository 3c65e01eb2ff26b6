import type { IncomingMessage } from 'node:http';
import { teamKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { createIdSource, createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import type { ActiveWorkspace } from '../identity/workspace-access.ts';
import { unauthenticated } from './bearer-token.ts';
import { createApp } from './create-app.ts';
import { publicOrigin } from './public-origin.ts';
import { pathAfter } from './raw-path.ts';
import { allowAnonymous, type RouteGuard, requireUser } from './require-user.ts';

const ANN = { id: 'usr_ann', orgId: 'acc_1' };
const TEAM: ActiveWorkspace = { id: 't-1', type: 'team', role: 'editor', key: teamKey(ANN.orgId, 't-1') };

/** What holds of a request, as the routes of the test's agent tell it. */
function open(guard: Partial<RouteGuard> = {}) {
  const full: RouteGuard = { authenticator: undefined, registry: undefined, watch: undefined, ...guard };
  const app = createApp({ logger: createSilentLogger(), clock: createFakeClock(), ids: createIdSource() });
  app.get('/origin', (c) => c.json(publicOrigin(c)));
  app.get('/files/*', (c) => c.json(pathAfter(c, '/files/')));
  if (full.authenticator) {
    app.get('/me', requireUser(full), (c) => c.json([c.get('user')?.id, c.get('workspace').id, c.get('owner')]));
    app.get('/own', requireUser(full, true), (c) => c.json(c.get('workspace').id));
  }
  app.get('/open', allowAnonymous(full), (c) => c.json([c.get('user') ?? null, c.get('workspace').id, c.get('owner')]));
  const call = async (path: string, headers: Record<string, string> = {}, sent = path) => {
    const env = { incoming: { url: sent } as IncomingMessage };
    const response = await app.request(path, { headers }, env);
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
  };
  return { app, call };
}

const authenticator = {
  signIn: null,
  verify: async (token: string) => {
    if (token === 'good') return ANN;
    if (token === 'away') throw createError('unavailable', 'The keys cannot be read. Try again.');
    throw unauthenticated('The token "x" has\nexpired \u00fc.');
  },
};

describe('a token', () => {
  // Fails when the scheme is compared by case, or anything after it is taken.
  test('is the one of Authorization: Bearer', async () => {
    const { call } = open({ authenticator });
    for (const authorization of ['Bearer good', 'bearer good', 'BEARER   good']) {
      expect((await call('/me', { authorization })).body).toEqual(['usr_ann', 'u-usr_ann', expect.any(String)]);
    }
    for (const authorization of ['Basic good', 'good', 'Bearer', 'Bearer ', 'Bearer good more', 'Bearer go,od']) {
      const { status, headers } = await call('/me', { authorization });
      expect([authorization, status, headers.get('www-authenticate')]).toEqual([
        ...[authorization, 401, expect.stringMatching(/^Bearer/)],
      ]);
    }
    expect((await call('/me')).status).toBe(401);
  });

  // Fails when a token in the query is accepted or passed over: it would be in every log on the way.
  test('is not taken from the query, also beside a good one', async () => {
    const { call } = open({ authenticator });
    for (const headers of [{}, { authorization: 'Bearer good' }]) {
      expect((await call('/me?access_token=good', headers as Record<string, string>)).status).toBe(401);
    }
  });

  // Fails when the reason can end the quoted text of the header, or begin a new header.
  test('that is refused is answered with the reason, in a header that the reason cannot leave', async () => {
    const { call } = open({ authenticator });
    const { status, headers } = await call('/me', { authorization: 'Bearer old' });
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer error="invalid_token", error_description="The token 'x' has'expired '."`,
    ]);
  });

  // Fails when a provider that is away signs people out: 401 makes pages forget their session.
  test('that cannot be checked is no wrong token', async () => {
    const { call } = open({ authenticator });
    expect((await call('/me', { authorization: 'Bearer away' })).status).toBe(503);
    // A route for everyone asks those who do send a token as well.
    expect((await call('/open', { authorization: 'Bearer old' })).status).toBe(401);
    expect((await call('/open')).status).toBe(401);
  });
});

describe('a workspace', () => {
  const asked: (string | undefined)[] = [];
  const registry = {
    enter: async (_user: unknown, id: string | undefined) => {
      asked.push(id);
      if (id === 't-1') return TEAM;
      throw createError('not_found', 'No such workspace.');
    },
  };

  // Fails when the header is heeded on routes about the person, or the owner of chats is the team: members would read them.
  test('is the one of X-Workspace, and what a person keeps in a team is still theirs', async () => {
    const { call } = open({ authenticator, registry });
    const headers = { authorization: 'Bearer good', 'x-workspace': 't-1' };
    const [, workspace, owner] = (await call('/me', headers)).body as string[];
    expect(workspace).toBe('t-1');
    const personal = (await open({ authenticator }).call('/me', headers)).body as string[];
    expect(personal[1]).toBe('u-usr_ann');
    expect(new Set([owner, personal[2], TEAM.key]).size).toBe(3);
    expect((await call('/own', headers)).body).toBe('u-usr_ann');
    expect((await call('/me', { ...headers, 'x-workspace': 't-2' })).status).toBe(404);
    expect(asked).toEqual(['t-1', 't-2']);
  });

  // Fails when a caller without a token shares rows with a person, or an agent with auth lets one in.
  test('is nobody’s for an agent without auth', async () => {
    const { call } = open();
    expect((await call('/open', { authorization: 'Bearer good' })).body).toEqual([
      ...[null, 'u-anonymous', expect.any(String)],
    ]);
    const { app } = open();
    const guard: RouteGuard = { authenticator: undefined, registry: undefined, watch: undefined };
    expect(() => app.get('/me', requireUser(guard))).toThrow(/needs an agent with auth/);
  });

  // Fails when the response goes on after the member was removed, or the hold on the watch is never released.
  test('that its member has left cuts off what is still being answered', async () => {
    let lose = () => {};
    let released = 0;
    const watch = {
      hold: (_user: unknown, _workspace: unknown, onLost: () => void) => {
        lose = onLost;
        return () => void released++;
      },
      close: async () => {},
    };
    const guard: RouteGuard = { authenticator, registry, watch };
    const { app } = open(guard);
    app.get('/stream', requireUser(guard), () => {
      const begin = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array([1]));
      return new Response(new ReadableStream({ start: begin }));
    });
    app.get('/short', requireUser(guard), (c) => c.text('x'));
    const headers = { authorization: 'Bearer good', 'x-workspace': 't-1' };
    const reader = (await app.request('/stream', { headers })).body?.getReader();
    expect((await reader?.read())?.value).toEqual(new Uint8Array([1]));
    expect(released).toBe(0);
    lose();
    await expect(reader?.read()).rejects.toThrow();
    await expect.poll(() => released).toBe(1);
    expect(await (await app.request('/short', { headers })).text()).toBe('x');
    await expect.poll(() => released).toBe(2);
  });
});

describe('a path', () => {
  // Fails when one spelling is missing: the request would reach another route than the one whose rules were checked.
  test.each([
    '/files/../me',
    '/files/a/..',
    '/files/%2e%2e/me',
    '/files/.%2E/me',
    '/files/..\\me',
    '/files/a\\..\\..\\me',
    '/../files/a',
  ])('%s climbs and is refused', async (sent) => {
    const { call } = open();
    expect((await call('/files/a', {}, sent)).status).toBe(403);
  });

  test('that leaves the base of an API is a bad request', async () => {
    const { call } = open();
    expect((await call('/files/a', {}, '/connectors/crm/fetch/../x')).status).toBe(400);
  });

  // Fails when it is decoded twice, or names with dots are taken for climbs.
  test('is what was sent, decoded once', async () => {
    const { call } = open();
    const after = async (sent: string) => (await call('/files/a', {}, sent)).body;
    expect(await after('/files/a%2520b?q=../x')).toBe('a%20b');
    expect(await after('/files/..a/b../%C3%BC')).toBe('..a/b../ü');
    expect(await after('/files/a%2Fb')).toBe('a/b');
    for (const sent of ['/files/%ff', '/files/%', '/files/%zz']) {
      expect([sent, (await call('/files/a', {}, sent)).status]).toEqual([sent, 422]);
    }
  });
});

// Fails when a header is believed that names no host: the address goes into links and redirects.
test('the agent’s address is the one that the caller used', async () => {
  const { call } = open();
  const at = async (headers: Record<string, string>) => (await call('http://127.0.0.1:8080/origin', headers)).body;
  const host = (name: string, proto = 'https') => at({ 'x-forwarded-host': name, 'x-forwarded-proto': proto });
  expect(await at({})).toBe('http://127.0.0.1:8080');
  expect(await host('Agent.Example.com')).toBe('https://agent.example.com');
  expect(await host('agent.example.com:8443', 'http')).toBe('http://agent.example.com:8443');
  expect(await host('[::1]:8080')).toBe('https://[::1]:8080');
  for (const evil of ['', 'a/b', 'user@evil.example', 'a b', 'a, b', `${'a'.repeat(256)}`, '"><script>']) {
    expect([evil, await host(evil)]).toEqual([evil, 'https://127.0.0.1:8080']);
  }
  expect(await host('a.example', 'javascript')).toBe('http://a.example');
});
