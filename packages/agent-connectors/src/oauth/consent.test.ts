import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsentFixture, openConsentAgent } from './testing/consent-agent.ts';

let fixture: ConsentFixture;

beforeAll(async () => {
  fixture = await openConsentAgent();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const BROWSER = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };

// Holds the agent to the contract: verifies('connector.authorize'), verifies('connector.callback')
test('somebody consents, and is connected', async () => {
  const { agent, back, begin, consent, provider, row } = fixture;
  const begun = await begin('ann', 'notes');
  expect([begun.status, begun.url.origin, begun.url.pathname]).toEqual([200, provider.url, '/authorize']);
  expect(Object.fromEntries(begun.url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'client-2',
    redirect_uri: `${agent.url}/connectors/notes/callback`,
    resource: provider.resource,
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w.-]{40,400}$/),
  });
  expect(JSON.parse(provider.asked('/register')[0]?.body ?? '')).toEqual({
    client_name: 'Helper',
    client_uri: agent.url,
    redirect_uris: [`${agent.url}/connectors/notes/callback`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
  });
  expect(await row('ann', 'notes')).toMatchObject({ connected: false, connected_as: null });
  const page = await back(await consent(begun));
  expect([page.status, Object.fromEntries(page.headers)]).toMatchObject([
    200,
    {
      'content-type': 'text/html; charset=UTF-8',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      ),
    },
  ]);
  const html = await page.text();
  expect(html).toContain('<body data-connector="notes" data-connected="true">');
  expect(html).toContain('<h1>Notes &#60;3 is connected</h1>');
  expect(await row('ann', 'notes')).toMatchObject({ connected: true, connected_as: 'user' });
  expect(await row('bob', 'notes')).toMatchObject({ connected: false });
  // The agent is one client there, however many people connect.
  expect((await begin('bob', 'notes')).url.searchParams.get('client_id')).toBe('client-2');
  expect(provider.asked('/register')).toHaveLength(1);
});

test('a provider without metadata is asked as the owner declared, with the secret at its own address only', async () => {
  const { agent, back, begin, consent, provider, row } = fixture;
  const begun = await begin('ann', 'crm');
  expect(Object.fromEntries(begun.url.searchParams)).toMatchObject({
    tenant: '1',
    access_type: 'offline',
    scope: 'read write',
    client_id: 'known',
  });
  expect(begun.url.searchParams.has('resource')).toBe(false);
  expect((await back(await consent(begun))).status).toBe(200);
  const secret = `Basic ${Buffer.from('known:hush').toString('base64')}`;
  expect(provider.asked('/token').at(-1)?.headers.authorization).toBe(secret);
  expect(provider.requests.filter(({ headers }) => headers.authorization === secret).map(({ path }) => path)).toEqual([
    '/token',
  ]);
  const gone = await agent.call('ann', 'DELETE', '/connectors/crm');
  expect([gone.status, await row('ann', 'crm')]).toMatchObject([200, { connected: false }]);
  expect(provider.asked('/revoke')).toHaveLength(2);
});

test('what comes back wrongly connects nothing, and nothing of the provider is told', async () => {
  const { agent, back, begin, consent, provider, row } = fixture;
  const evil = '<img src=x onerror=alert(1)>';
  const change = (path: string, edit: (query: URLSearchParams) => void) => {
    const url = new URL(path, agent.url);
    edit(url.searchParams);
    return url.pathname + url.search;
  };
  const alter = (state: string) => state.slice(0, 20) + (state[20] === 'x' ? 'y' : 'x') + state.slice(21);
  const table: readonly (readonly [string, (path: string) => Promise<Response>, isAsked: boolean])[] = [
    ['no state', (path) => back(change(path, (query) => query.delete('state'))), false],
    ['a made-up state', (path) => back(change(path, (query) => query.set('state', 'k.AAAA'))), false],
    [
      'an altered state',
      // Not its last letter, whose last bits may mean nothing.
      (path) => back(change(path, (query) => query.set('state', alter(query.get('state') ?? '')))),
      false,
    ],
    ['another connector', (path) => back(path.replace('/notes/', '/crm/')), false],
    ['another person', (path) => back(path, {}, 'bob'), false],
    ['the same name in an org', (path) => back(path, {}, 'ann.acme'), false],
    ['a bad token', (path) => back(path, {}, 'bad'), false],
    ['another issuer', (path) => back(change(path, (query) => query.set('iss', 'https://evil.example'))), false],
    ['no issuer', (path) => back(change(path, (query) => query.delete('iss'))), false],
    ['no code', (path) => back(change(path, (query) => query.delete('code'))), false],
    ['two codes', (path) => back(change(path, (query) => query.append('code', 'x'))), false],
    ['another code', (path) => back(change(path, (query) => query.set('code', evil))), true],
    [
      'an error',
      (path) =>
        back(
          change(path, (query) => {
            query.delete('code');
            for (const name of ['error', 'error_description', 'error_uri']) query.set(name, evil);
          }),
        ),
      false,
    ],
  ];
  const rest: string[] = [];
  for (const [what, come, isAsked] of table) {
    const path = await consent(await begin('ann-2', 'notes'));
    const before = provider.asked('/token').length;
    const response = await come(path);
    const text = await response.text();
    expect([response.status, JSON.parse(text)], what).toEqual([400, { detail: expect.any(String) }]);
    expect(text, what).not.toMatch(/img|evil|invalid_/);
    expect(provider.asked('/token').length - before, what).toBe(isAsked ? 1 : 0);
    rest.push(path);
  }
  expect((await row('ann-2', 'notes'))?.connected).toBe(false);
  // Who came with the wrong state or as another person used nothing up.
  expect((await back(rest[4] as string, {}, 'ann-2')).status).toBe(200);
  expect((await back(rest[4] as string)).status).toBe(400);
  expect((await back(rest[7] as string)).status).toBe(400);
  expect((await back('/connectors/faq/callback?state=x')).status).toBe(404);
  expect((await back('/connectors/none/callback?state=x')).status).toBe(404);
});

test('who connects again because the rights were too few is asked for more, and keeps what there was', async () => {
  const { agent, back, begin, consent, provider } = fixture;
  const scopesOf = async () => {
    const begun = await begin('hal', 'minutes');
    expect((await back(await consent(begun))).status).toBe(200);
    return begun.url.searchParams.get('scope');
  };
  const want = (scope: string) => {
    const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
    provider.misbehave('/mcp', ({ headers: sent }, usual) => (sent.authorization ? { status: 403, headers } : usual()));
    return agent.call('hal', 'GET', '/connectors/minutes/tools');
  };
  expect(await scopesOf()).toBeNull();
  expect((await want('read \u00fc write')).status).toBe(409);
  expect(await scopesOf()).toBe('read write');
  fixture.clock.advance(3_600_000);
  expect((await want('admin')).status).toBe(409);
  expect(await scopesOf()).toBe('read write admin');
  // What the owner declared stays what is asked for, and no one else is asked for more.
  expect((await begin('hal', 'crm')).url.searchParams.get('scope')).toBe('read write');
  expect((await begin('ida', 'minutes')).url.searchParams.has('scope')).toBe(false);
  provider.misbehave('/mcp', undefined);
});

test('it is good for 600 s', async () => {
  const { back, begin, clock, consent } = fixture;
  const [late, timely] = [await consent(await begin('eve', 'notes')), await begin('eve', 'notes')];
  clock.advance(599_000);
  const path = await consent(timely);
  expect((await back(path)).status).toBe(200);
  clock.advance(1_000);
  expect((await back(late)).status).toBe(400);
});

test('two at once are both good, and the later one stays', async () => {
  const { back, begin, consent, row } = fixture;
  const [first, second] = [await consent(await begin('two', 'notes')), await consent(await begin('two', 'notes'))];
  expect([(await back(second)).status, (await back(first)).status]).toEqual([200, 200]);
  expect((await row('two', 'notes'))?.connected).toBe(true);
});

test('what a workspace shares is begun by those who manage it, and finished while they do', async () => {
  const { agent, back, begin, consent, provider, row } = fixture;
  const json = { 'content-type': 'application/json' };
  const made = await agent.call('carol.acme', 'POST', '/workspaces', { name: 'Sales' });
  const { id } = (await made.json()) as { id: string };
  await agent.call('carol.acme', 'PUT', `/workspaces/${id}/members/dan`, { role: 'admin' });
  await agent.call('carol.acme', 'PUT', `/workspaces/${id}/members/erin`, { role: 'editor' });
  const there = { 'x-workspace': id };
  expect((await begin('erin.acme', 'crm', '?scope=workspace', there)).status).toBe(403);
  expect((await begin('erin.acme', 'shared', '', there)).status).toBe(403);
  expect((await begin('erin.acme', 'own', '?scope=workspace', there)).status).toBe(400);
  expect((await begin('frank.acme', 'crm', '', there)).status).toBe(404);
  const demoted = await begin('dan.acme', 'crm', '?scope=workspace', there);
  expect((await back(await consent(await begin('carol.acme', 'shared', '', there)))).status).toBe(200);
  expect(await row('erin.acme', 'shared', there)).toMatchObject({ connected_as: 'workspace' });
  expect(await row('erin.acme', 'shared')).toMatchObject({ connected: false });
  await agent.call('carol.acme', 'PUT', `/workspaces/${id}/members/dan`, { role: 'editor' });
  const before = provider.asked('/token').length;
  const late = await back(await consent(demoted), json);
  expect([late.status, provider.asked('/token').length - before]).toEqual([400, 0]);
  await agent.call('carol.acme', 'DELETE', `/workspaces/${id}/members/erin`);
  expect((await begin('erin.acme', 'crm', '', there)).status).toBe(404);
});

test('what cannot be begun is said', async () => {
  const { agent, begin, provider } = fixture;
  expect((await agent.call(undefined, 'POST', '/connectors/crm/authorize')).status).toBe(401);
  expect((await begin('ann', 'none')).status).toBe(404);
  expect((await begin('ann', 'crm', '?scope=all')).status).toBe(422);
  expect(await begin('ann', 'faq')).toMatchObject({
    status: 400,
    detail: expect.stringContaining('/connectors/faq/key'),
  });
  // Whoever makes up an address for the agent would be sent what others consent to.
  const evil = await begin('ann', 'crm', '', { 'x-forwarded-host': 'evil.example' });
  expect(evil).toMatchObject({
    status: 400,
    detail: expect.stringContaining('BERTH_AGENT_ORIGIN=http://evil.example'),
  });
  provider.misbehave('/.well-known/oauth-protected-resource/mcp', () => ({ status: 500, body: '<b>oops</b>' }));
  provider.misbehave('/.well-known/oauth-authorization-server', () => ({ status: 200, body: '<b>oops</b>' }));
  const broken = await begin('ann', 'notes');
  expect([broken.status, broken.detail]).toEqual([503, expect.stringMatching(/^The sign-in of 127[^<]+$/)]);
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server']) {
    provider.misbehave(path, undefined);
  }
});

test('a browser that did not begin it is asked whose account it would be', async () => {
  const { agent, back, begin, consent, provider, row } = fixture;
  const begun = await begin('ann-3', 'notes');
  const path = await consent(begun);
  const victim = { ...BROWSER, cookie: `berth-connect=${'v'.repeat(32)}` };
  const before = provider.asked('/token').length;
  const asked = await back(path, victim);
  const html = await asked.text();
  const cookie = (asked.headers.get('set-cookie') ?? '').split(';', 1)[0] as string;
  const confirmation = /name="confirmation" value="([^"]+)"/.exec(html)?.[1] ?? '';
  expect([asked.status, cookie]).toEqual([200, victim.cookie]);
  expect(html).toContain('started elsewhere by ann-3');
  expect(html).toContain('<body data-connector="notes">');
  // What no browser of the victim's own sends by itself: a form without the page's word, or with another's.
  const other = await back(path, { ...BROWSER, cookie: `berth-connect=${'o'.repeat(32)}` });
  const others = /name="confirmation" value="([^"]+)"/.exec(await other.text())?.[1] ?? '';
  for (const word of ['', 'x', others]) {
    const posted = await agent.call(undefined, 'POST', path, `confirmation=${encodeURIComponent(word)}`, victim);
    expect(await posted.text()).toContain('name="confirmation"');
  }
  expect((await agent.call(undefined, 'POST', path, 'x'.repeat(5_000), victim)).status).not.toBe(200);
  expect(provider.asked('/token').length).toBe(before);
  const posted = await agent.call(undefined, 'POST', path, `confirmation=${encodeURIComponent(confirmation)}`, victim);
  expect([posted.status, (await row('ann-3', 'notes'))?.connected]).toEqual([200, true]);
});

test('the browser that began it passes, and is told in words what went wrong', async () => {
  const { back, begin, consent } = fixture;
  const begun = await begin('ann-4', 'notes');
  const browser = { ...BROWSER, cookie: begun.cookie };
  const again = await begin('ann-4', 'notes', '', browser);
  expect(again.cookie).toBe(begun.cookie);
  const path = await consent(begun);
  expect((await back(path, browser)).status).toBe(200);
  // Over plain http browsers say less of themselves.
  expect((await back(await consent(again), { 'user-agent': 'Mozilla/5.0', cookie: again.cookie })).status).toBe(200);
  const twice = await back(path, browser);
  const html = await twice.text();
  expect([twice.status, twice.headers.get('content-type')]).toEqual([400, 'text/html; charset=UTF-8']);
  expect(html).toContain('data-connected="false"');
  expect(html).toContain('Start again.');
});

test('nothing secret is in the log', () => {
  const { lines } = fixture;
  expect(lines.join('\n')).not.toMatch(/access-|refresh-|code-|hush|state=|<b>/);
});
