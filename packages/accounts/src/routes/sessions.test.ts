import { expect, test } from 'vitest';
import { type AccountFixture, createAccountFixture } from '../testing/account-fixture.ts';

const ANN = { email: 'ann@example.org', password: 'correct horse battery' };
const BROWSER = { 'X-Berth-Browser': '1' };

async function withPeople({ call, operatorKey: key }: AccountFixture): Promise<string> {
  const { body } = await call('POST', '/v1/admin/accounts', { key, json: { name: 'acme', user: ANN } });
  const bob = { ...ANN, email: 'bob@example.org' };
  await call('POST', '/v1/admin/accounts', { key, json: { name: 'bobs', user: bob } });
  return body.key.secret as string;
}

/** Signs in as a page of the platform does; answers what the browser sends from then on. */
async function signInBrowser({ call }: AccountFixture, person = ANN): Promise<{ Cookie: string; setCookie: string }> {
  const { status, body, headers } = await call('POST', '/v1/auth/sign-in/email', { json: person, headers: BROWSER });
  expect([status, body.token]).toEqual([200, undefined]);
  const setCookie = headers.get('set-cookie') ?? '';
  return { Cookie: setCookie.split(';')[0] ?? '', setCookie };
}

test('a page gets its session as a cookie that no script can read, and signs out', async () => {
  await using fixture = await createAccountFixture();
  const { call } = fixture;
  await withPeople(fixture);
  const { Cookie, setCookie } = await signInBrowser(fixture);
  expect(setCookie).toMatch(/^berth_session=[^;]{20,}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict$/);
  const headers = { ...BROWSER, Cookie };
  expect((await call('GET', '/v1/user', { headers })).body).toMatchObject({
    user: { email: ANN.email },
    role: 'owner',
  });
  const session = await call('GET', '/v1/auth/get-session', { headers });
  expect([session.body.user.email, session.headers.get('set-cookie')]).toEqual([ANN.email, setCookie]);

  const json = { current_password: ANN.password, new_password: 'another long password' };
  const changed = await call('POST', '/v1/auth/change-password', { headers, json });
  const renewed = { ...BROWSER, Cookie: changed.headers.get('set-cookie')?.split(';')[0] ?? '' };
  expect([changed.status, changed.body.token]).toEqual([200, undefined]);
  expect((await call('GET', '/v1/user', { headers })).status).toBe(401);
  const out = await call('POST', '/v1/auth/sign-out', { headers: renewed });
  expect([out.status, out.headers.get('set-cookie')]).toEqual([
    200,
    expect.stringContaining('berth_session=; Max-Age=0'),
  ]);
  const late = await call('GET', '/v1/user', { headers: renewed });
  expect([late.status, late.body.detail]).toEqual([401, 'Your session has expired. Sign in again.']);
});

test('no page of another origin can use the cookie', async () => {
  await using fixture = await createAccountFixture();
  const { call } = fixture;
  const key = await withPeople(fixture);
  const { Cookie } = await signInBrowser(fixture);
  const Host = 'localhost:8787';
  const statusOf = async (headers: Record<string, string>, method = 'GET', route = '/v1/user', json?: unknown) =>
    (await call(method, route, { headers: { Host, Cookie, ...headers }, json })).status;
  const own = { ...BROWSER, Origin: 'http://localhost:8787', 'Sec-Fetch-Site': 'same-origin' };
  expect(await statusOf(own)).toBe(200);
  // Reached under another of its names.
  expect(await statusOf({ ...BROWSER, Host: '10.0.0.7:8787', Origin: 'http://10.0.0.7:8787' })).toBe(200);
  for (const headers of [
    {},
    { 'X-Berth-Browser': '0' },
    { ...own, Origin: 'http://evil.localhost:8787' },
    { ...own, Origin: 'http://localhost:9999' },
    { ...own, Origin: 'null' },
    { ...own, 'Sec-Fetch-Site': 'same-site' },
    { ...own, 'Sec-Fetch-Site': 'cross-site' },
    { ...own, Cookie: '' },
    { ...own, Cookie: 'berth_session=' },
    { ...own, Cookie: `berth_session=${'x'.repeat(43)}` },
    { ...own, Cookie: Cookie.replace('berth_session', 'other') },
  ]) {
    expect([headers, await statusOf(headers)]).toEqual([headers, 401]);
    expect(await statusOf(headers, 'POST', '/v1/user/keys', { name: 'stolen' })).toBe(401);
    expect(await statusOf(headers, 'GET', '/v1/auth/get-session')).toBe(401);
  }
  expect((await call('GET', '/v1/user/keys', { key })).body).toHaveLength(1);
  // Nothing lets a script of another origin send the header.
  const preflight = await call('OPTIONS', '/v1/user/keys', { headers: { Origin: 'http://evil.localhost:8787' } });
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  // And one of them can't be given a session either: the cookie is only set for an own page.
  const json = { ...ANN };
  const forced = await call('POST', '/v1/auth/sign-in/email', {
    json,
    headers: { ...own, 'Sec-Fetch-Site': 'same-site' },
  });
  expect(forced.headers.get('set-cookie')).toBeNull();
});

test('with TLS no sibling host can set the cookie', async () => {
  const baseUrl = 'https://api.example.com';
  await using fixture = await createAccountFixture({ baseUrl });
  await withPeople(fixture);
  const { setCookie } = await signInBrowser(fixture);
  expect(setCookie).toMatch(/^__Host-berth_session=[^;]+; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
});

test('a credential that is sent wins over the cookie', async () => {
  await using fixture = await createAccountFixture();
  const { call, other } = fixture;
  await withPeople(fixture);
  const { Cookie } = await signInBrowser(fixture);
  const headers = { ...BROWSER, Cookie };
  expect((await call('GET', '/v1/user', { headers, key: other.key.secret })).body.account.name).toBe('other');
  expect((await call('GET', '/v1/user', { headers, bearer: 'wrong' })).status).toBe(401);
});

test('a person sees where they are signed in, and ends one or all others', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock } = fixture;
  const key = await withPeople(fixture);
  const signIn = async (agent: string, person = ANN) => {
    const { body } = await call('POST', '/v1/auth/sign-in/email', { json: person, headers: { 'User-Agent': agent } });
    clock.advance(1_000);
    return body.token as string;
  };
  const bob = await signIn('bob', { ...ANN, email: 'bob@example.org' });
  const [first, second, third] = [await signIn('first'), await signIn('second'), await signIn('third')];
  const list = async (bearer: string) => (await call('GET', '/v1/user/sessions', { bearer })).body;
  await expect.poll(async () => (await list(first))[0].last_used_at).not.toBeNull();
  const rows = await list(first);
  expect(rows.map((row: { user_agent: string }) => row.user_agent)).toEqual(['first', 'third', 'second']);
  expect(rows.map((row: { is_current: boolean }) => row.is_current)).toEqual([true, false, false]);
  expect(Object.keys(rows[0]).sort()).toEqual(
    ['address', 'created_at', 'expires_at', 'id', 'is_current', 'last_used_at', 'user_agent'].sort(),
  );
  const end = (id: string, bearer: string) => call('DELETE', `/v1/user/sessions?id=${id}`, { bearer });
  // No one else's, and no key, whatever it may do.
  expect((await end(rows[2].id, bob)).status).toBe(404);
  expect((await call('GET', '/v1/user', { bearer: second })).status).toBe(200);
  for (const [method, route] of [
    ['GET', '/v1/user/sessions'],
    ['DELETE', `/v1/user/sessions?id=${rows[2].id}`],
    ['POST', '/v1/user/sessions/end-others'],
  ] as const) {
    expect((await call(method, route, { key })).status).toBe(403);
  }
  expect((await end(rows[2].id, first)).status).toBe(200);
  expect((await end(rows[2].id, first)).status).toBe(404);
  expect((await call('GET', '/v1/user', { bearer: second })).status).toBe(401);
  const others = await call('POST', '/v1/user/sessions/end-others', { bearer: first });
  expect(others.body.detail).toBe('1 session signed out.');
  expect((await call('GET', '/v1/user', { bearer: third })).status).toBe(401);
  expect(await list(first)).toHaveLength(1);
  expect(await list(bob)).toHaveLength(1);
});
