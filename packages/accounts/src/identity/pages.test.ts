import { expect, test } from 'vitest';
import { ANN, createIdentityFixture, type IdentityFixture, ISSUER } from './testing/identity-fixture.ts';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const GOOD = {
  response_type: 'code',
  client_id: 'helper',
  redirect_uri: 'http://helper.localhost:8787/cb',
  state: 'x y&z',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  scope: 'openid',
};

function authorizeUrl(changes: Readonly<Record<string, string | undefined>> = {}, issuer = ISSUER): string {
  const entries = Object.entries({ ...GOOD, ...changes }).filter(([, value]) => value !== undefined);
  return `${issuer}/oauth2/authorize?${new URLSearchParams(entries as [string, string][])}`;
}

async function domain({ db, acme, clock }: IdentityFixture, name: string, status: 'active' | 'pending') {
  const row = { account_id: acme.id, domain: name, deployment: 'helper', status, token: name, proof: name };
  await db
    .insertInto('domains')
    .values({ ...row, created_at: clock.nowMs(), verified_at: null })
    .execute();
}

test('nobody is sent anywhere but to the addresses of the deployment that asked', async () => {
  await using fixture = await createIdentityFixture();
  const { deployment, acme, browser } = fixture;
  await deployment('other', acme.id);
  await domain(fixture, 'help.example.org', 'active');
  await domain(fixture, 'not-yet.example.org', 'pending');
  const evil = [
    ...['http://evil.example/', 'http://helper.localhost:8787.evil.example/', 'http://helper.localhost/', ISSUER],
    ...['http://other.localhost:8787/', 'http://xhelper.localhost:8787/', 'https://helper.localhost:8787/'],
    ...['http://evil.example\\@helper.localhost:8787/', 'http://helper.localhost:8787@evil.example/', '//evil.example'],
    ...['http://u:p@helper.localhost:8787/', 'http://helper.localhost:8787/#x', 'javascript:alert(1)', '', '/cb'],
    ...['https://not-yet.example.org/', 'https://help.example.org.evil.example/', 'http://localhost:3000/'],
    ...['data:text/html,x', 'http://helper.localhost:8787\r\nX: y@evil.example/', 'http://helper.localhost:8787#'],
  ];
  for (const redirect_uri of evil) {
    const { status, leftTo, text } = await browser().open(authorizeUrl({ redirect_uri }));
    expect([redirect_uri, status, leftTo]).toEqual([redirect_uri, 400, undefined]);
    expect(text).not.toMatch(/evil|alert/);
  }
  for (const client_id of ['nobody', '', 'toString', '<script>', 'helper\u0000']) {
    expect((await browser().open(authorizeUrl({ client_id }))).status).toBe(400);
  }
  const good = ['http://helper.localhost:8787/a/b?c=d', 'https://help.example.org/', 'HTTP://HELPER.localhost:8787/'];
  for (const redirect_uri of good) {
    const view = await browser().open(authorizeUrl({ redirect_uri, prompt: 'none' }));
    expect(view.leftTo?.origin).toBe(new URL(redirect_uri).origin);
    expect(Object.fromEntries(view.leftTo?.searchParams ?? [])).toMatchObject({ error: 'login_required', iss: ISSUER });
    expect(view.leftTo?.searchParams.get('state')).toBe(GOOD.state);
  }
});

test('a program on the person’s own machine may ask, is asked about each time, and only gets tokens for itself', async () => {
  await using fixture = await createIdentityFixture();
  const client_id = 'http://localhost';
  for (const redirect_uri of ['http://localhost:3000/cb', 'http://127.0.0.1:1/', 'http://[::1]:8080/x']) {
    const browser = fixture.browser();
    await browser.open(authorizeUrl({ client_id, redirect_uri }));
    expect((await browser.submit(ANN)).text).toContain('will see your name');
    expect((await browser.submit({ decision: 'allow' })).leftTo?.origin).toBe(new URL(redirect_uri).origin);
    expect((await browser.open(authorizeUrl({ client_id, redirect_uri }))).text).toContain('will see your name');
  }
  for (const redirect_uri of [
    `${ISSUER}/cb`,
    'http://helper.localhost:8787/',
    'https://localhost/',
    'http://10.0.0.1/',
  ]) {
    expect((await fixture.browser().open(authorizeUrl({ client_id, redirect_uri }))).status).toBe(400);
  }
});

test('a client is told what is wrong with its request', async () => {
  await using fixture = await createIdentityFixture();
  const problem = async (url: string) => (await fixture.browser().open(url)).leftTo?.searchParams.get('error');
  expect(await problem(authorizeUrl({ code_challenge: undefined }))).toBe('invalid_request');
  expect(await problem(authorizeUrl({ code_challenge_method: 'plain' }))).toBe('invalid_request');
  expect(await problem(authorizeUrl({ code_challenge_method: undefined }))).toBe('invalid_request');
  expect(await problem(authorizeUrl({ code_challenge: 'short' }))).toBe('invalid_request');
  expect(await problem(authorizeUrl({ response_type: 'token' }))).toBe('unsupported_response_type');
  expect(await problem(authorizeUrl({ response_mode: 'fragment' }))).toBe('invalid_request');
  expect(await problem(authorizeUrl({ request: 'e30.e30.' }))).toBe('request_not_supported');
  expect(await problem(authorizeUrl({ request_uri: 'http://x' }))).toBe('request_uri_not_supported');
  expect(await problem(authorizeUrl({ prompt: 'none login' }))).toBe('invalid_request');
  expect(await problem(authorizeUrl({ max_age: '-1' }))).toBe('invalid_request');
  expect(await problem(`${authorizeUrl()}&scope=openid`)).toBe('invalid_request');

  const token = (fields: Record<string, string>, init: RequestInit = {}) =>
    fixture.fetch(`${ISSUER}/oauth2/token`, { method: 'POST', body: new URLSearchParams(fields), ...init });
  const error = async (answer: Promise<Response>) => {
    const response = await answer;
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    return [response.status, (await response.json()).error];
  };
  const code = {
    grant_type: 'authorization_code',
    client_id: 'helper',
    code: 'x',
    redirect_uri: 'y',
    code_verifier: 'z',
  };
  expect(await error(token(code))).toEqual([400, 'invalid_grant']);
  expect(await error(token({ ...code, client_id: 'nobody' }))).toEqual([401, 'invalid_client']);
  expect(await error(token({ ...code, code_verifier: '' }))).toEqual([400, 'invalid_request']);
  expect(await error(token({ ...code, grant_type: 'password' }))).toEqual([400, 'unsupported_grant_type']);
  expect(await error(token({ grant_type: 'refresh_token', client_id: 'helper', refresh_token: 'x' }))).toEqual([
    400,
    'invalid_grant',
  ]);
  const json = { body: '{}', headers: { 'content-type': 'application/json' } };
  expect(await error(token({}, json))).toEqual([400, 'invalid_request']);
  expect(await error(token({ ...code, code: 'x'.repeat(2_000_000) }))).toEqual([400, 'invalid_request']);
});

test('forms are taken from the provider’s own pages only', async () => {
  await using fixture = await createIdentityFixture();
  const browser = fixture.browser();
  await browser.open(authorizeUrl());
  const foreign = await browser.submit(ANN, { origin: 'http://helper.localhost:8787' });
  expect(foreign.status).toBe(403);
  await browser.open(authorizeUrl());
  expect((await browser.submit(ANN, { origin: 'null' })).status).toBe(403);
  await browser.open(authorizeUrl());
  browser.cookies.delete('berth_form');
  expect((await browser.submit(ANN)).status).toBe(403);

  // The consent of someone who is signed in can't be sent for them.
  await browser.open(authorizeUrl());
  await browser.submit(ANN);
  await fixture.deployment('foreign', fixture.bobs.id);
  const asked = { client_id: 'foreign', redirect_uri: 'http://foreign.localhost:8787/' };
  const stolen = await fixture.fetch(authorizeUrl(asked).replace('authorize', 'consent'), {
    method: 'POST',
    body: new URLSearchParams({ decision: 'allow', form_token: 'guess' }),
    headers: { cookie: [...browser.cookies.values()].join('; ') },
  });
  expect([stolen.status, stolen.headers.get('location')]).toEqual([403, null]);
  expect(await fixture.db.selectFrom('identity_consents').selectAll().execute()).toEqual([]);
});

test('pages run nothing, are framed nowhere, and show nothing that was sent to them as markup', async () => {
  await using fixture = await createIdentityFixture();
  const browser = fixture.browser();
  const { headers, text } = await browser.open(authorizeUrl({ state: '"><script>alert(1)</script>' }));
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("form-action 'self' http://helper.localhost:8787;");
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(text).not.toContain('<script');
  const wrong = await browser.submit({ email: '"><script>alert(1)</script>', password: 'no' });
  expect(wrong.status).toBe(403);
  expect(wrong.text).not.toContain('<script');
  expect((await browser.submit({ ...ANN, password: 'not the password' })).text).toContain('Invalid email or password');
  expect((await browser.submit({ api_key: 'кириллица' })).text).toContain('Unknown');
  expect(browser.cookies.has('berth_identity')).toBe(false);
  expect(fixture.logLines.join('\n')).not.toContain('not the password');
});

test('guessing passwords is slowed down here too', async () => {
  await using fixture = await createIdentityFixture();
  const browser = fixture.browser();
  await browser.open(authorizeUrl());
  let view = await browser.submit({ ...ANN, password: 'guess' });
  for (let tries = 1; tries < 12; tries++) view = await browser.submit({ ...ANN, password: 'guess' });
  expect(view.text).toContain('Too many attempts');
  expect((await browser.submit(ANN)).leftTo).toBeUndefined();
});

test('with TLS, cookies are out of the reach of sibling hosts and of plain connections', async () => {
  const issuer = 'https://api.example.org';
  await using fixture = await createIdentityFixture({ issuer });
  const browser = fixture.browser();
  const redirect_uri = 'https://helper.api.example.org/';
  const { headers } = await browser.open(authorizeUrl({ redirect_uri }, issuer));
  expect(headers.get('set-cookie')).toMatch(/^__Host-berth_form=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  await browser.submit(ANN);
  expect([...browser.cookies.keys()]).toContain('__Host-berth_identity');
  const session = browser.cookies.get('__Host-berth_identity')?.split('=')[1];
  const stored = JSON.stringify(await fixture.db.selectFrom('identity_sessions').selectAll().execute());
  expect(stored).not.toContain(session);
  // Nothing else of the platform takes it.
  const cookie = [...browser.cookies.values()].join('; ');
  expect((await fixture.call('GET', '/v1/user', { headers: { cookie } })).status).toBe(401);
  expect((await fixture.call('GET', '/v1/user', { bearer: session as string })).status).toBe(401);
});

test('a key makes a token for one deployment by name; other credentials are answered as everywhere', async () => {
  await using fixture = await createIdentityFixture();
  const { call, acme, bobs, fetch } = fixture;
  const make = (options: object, deployment: unknown = 'helper') =>
    call('POST', '/v1/user/token', { json: { deployment }, ...options });
  const { status, body } = await make({ key: bobs.key });
  expect([status, body.token_type]).toEqual([200, 'Bearer']);
  expect(Date.parse(body.expires_at) - fixture.clock.nowMs()).toBeLessThanOrEqual(600_000);
  const info = (bearer: string) =>
    fetch(`${ISSUER}/oauth2/userinfo`, { headers: { authorization: `Bearer ${bearer}` } });
  expect(await (await info(body.token)).json()).toMatchObject({ sub: bobs.id, org_slug: 'bobs' });
  expect((await info(`${body.token}x`)).status).toBe(401);
  fixture.clock.advance(600_001);
  expect((await info(body.token)).status).toBe(401);

  expect((await make({})).status).toBe(401);
  expect((await make({ key: 'berth_bad' })).status).toBe(401);
  expect((await make({ key: acme.key }, 'nobody')).status).toBe(404);
  expect((await make({ key: acme.key }, 'http://localhost')).status).toBe(404);
  expect((await make({ key: acme.key }, 7)).status).toBe(422);
  const { body: reader } = await call('POST', '/v1/user/keys', {
    key: acme.key,
    json: { name: 'r', scopes: ['read'] },
  });
  expect((await make({ key: reader.secret })).status).toBe(403);
});
