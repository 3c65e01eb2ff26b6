import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { ANN, createIdentityFixture, type IdentityFixture, ISSUER } from './testing/identity-fixture.ts';

const REDIRECT = 'http://helper.localhost:8787/';
const SCOPE = 'openid profile email offline_access';

/** An independent client of the protocol: it checks issuer, signature, nonce, state and times itself. */
async function discover({ fetch }: IdentityFixture, clientId = 'helper'): Promise<client.Configuration> {
  return client.discovery(new URL(ISSUER), clientId, undefined, client.None(), {
    execute: [client.allowInsecureRequests],
    [client.customFetch]: (url, options) => fetch(url, options as RequestInit),
  });
}

/** What a client sends people to the provider with. */
async function startSignIn(config: client.Configuration, more: Record<string, string> = {}) {
  const verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: SCOPE,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...more,
  });
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  return { url: url.href, checks };
}

async function signInAs(fixture: IdentityFixture, config: client.Configuration) {
  const browser = fixture.browser();
  const { url, checks } = await startSignIn(config);
  await browser.open(url);
  const { leftTo } = await browser.submit(ANN);
  const tokens = await client.authorizationCodeGrant(config, leftTo as URL, checks);
  return { browser, tokens };
}

test('a person signs in with a password at an agent of their account, and the agent knows who they are', async () => {
  await using fixture = await createIdentityFixture();
  const config = await discover(fixture);
  const { browser, tokens } = await signInAs(fixture, config);
  const person = {
    name: ANN.email,
    email: ANN.email,
    email_verified: false,
    org_id: fixture.acme.id,
    org_slug: 'acme',
    org_role: 'admin',
    plan: 'self-hosted',
  };
  expect(tokens.claims()).toMatchObject({ ...person, iss: ISSUER, aud: 'helper', sub: expect.stringMatching(/^usr_/) });
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 600, scope: SCOPE });

  const jwks = await (await fixture.fetch(`${ISSUER}/oauth2/jwks`)).json();
  const { payload } = await jwtVerify(tokens.access_token, createLocalJWKSet(jwks), {
    issuer: ISSUER,
    audience: 'helper',
    typ: 'at+jwt',
    algorithms: ['ES256'],
    currentDate: new Date(fixture.clock.nowMs()),
  });
  expect(payload).toMatchObject({ ...person, client_id: 'helper', scope: SCOPE, jti: expect.any(String) });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(600);
  expect(JSON.stringify(jwks)).not.toContain('"d"');
  const info = await client.fetchUserInfo(config, tokens.access_token, payload.sub as string);
  expect(info).toMatchObject(person);
  // Fails when `readAccess` takes any type: an ID token says who signed in to an agent, and opens nothing here.
  for (const route of ['/oauth2/userinfo', '/v1/user']) {
    const headers = { authorization: `Bearer ${tokens.id_token}` };
    expect((await fixture.fetch(ISSUER + route, { headers })).status).toBe(401);
  }

  // The second time nothing is asked.
  const again = await startSignIn(config, { prompt: 'none' });
  const { leftTo } = await browser.open(again.url);
  expect((await client.authorizationCodeGrant(config, leftTo as URL, again.checks)).access_token).toBeTruthy();
});

test('the page renews its tokens; a renewal used twice ends them all', async () => {
  await using fixture = await createIdentityFixture();
  const config = await discover(fixture);
  const { tokens } = await signInAs(fixture, config);
  const first = tokens.refresh_token as string;
  const renewed = await client.refreshTokenGrant(config, first);
  expect(renewed.refresh_token).not.toBe(first);
  // Two tabs at once are no theft.
  const second = await client.refreshTokenGrant(config, first);
  fixture.clock.advance(11_000);
  await expect(client.refreshTokenGrant(config, first)).rejects.toMatchObject({ error: 'invalid_grant' });
  for (const { refresh_token } of [renewed, second]) {
    await expect(client.refreshTokenGrant(config, refresh_token as string)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  }
});

test('a code is good once, for its client, redirect and verifier, and for a minute', async () => {
  await using fixture = await createIdentityFixture();
  const { acme, deployment, clock, browser: newBrowser } = fixture;
  await deployment('other', acme.id);
  const config = await discover(fixture);
  const browser = newBrowser();
  const begin = async () => {
    const { url, checks } = await startSignIn(config);
    let view = await browser.open(url);
    if (!view.leftTo) view = await browser.submit(ANN);
    return { back: view.leftTo as URL, checks };
  };
  const redeem = (back: URL, fields: Record<string, string>) =>
    fixture.fetch(`${ISSUER}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'helper',
        redirect_uri: REDIRECT,
        code: back.searchParams.get('code') ?? '',
        ...fields,
      }),
    });
  const refused = { status: 400, error: 'invalid_grant' };
  const outcome = async (response: Response) => ({ status: response.status, error: (await response.json()).error });

  for (const wrong of [{ client_id: 'other' }, { redirect_uri: `${REDIRECT}x` }, { code_verifier: 'v'.repeat(43) }]) {
    const { back, checks } = await begin();
    const good = { code_verifier: checks.pkceCodeVerifier };
    expect(await outcome(await redeem(back, { ...good, ...wrong }))).toEqual(refused);
    // The try used it up.
    expect(await outcome(await redeem(back, good))).toEqual(refused);
  }
  const late = await begin();
  clock.advance(60_000);
  expect(await outcome(await redeem(late.back, { code_verifier: late.checks.pkceCodeVerifier }))).toEqual(refused);

  const { back, checks } = await begin();
  const tokens = await client.authorizationCodeGrant(config, back, checks);
  expect(await outcome(await redeem(back, { code_verifier: checks.pkceCodeVerifier }))).toEqual(refused);
  // A code that comes twice was stolen: what it gave is over too.
  await expect(client.refreshTokenGrant(config, tokens.refresh_token as string)).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});

test('an agent of another account gets nothing before the person agreed', async () => {
  await using fixture = await createIdentityFixture();
  await fixture.deployment('foreign', fixture.bobs.id);
  const config = await discover(fixture, 'foreign');
  const redirect_uri = 'http://foreign.localhost:8787/';
  const browser = fixture.browser();
  const { url } = await startSignIn(config, { redirect_uri });
  await browser.open(url);
  const question = await browser.submit(ANN);
  expect(question.text).toContain('foreign.localhost:8787 will see your name');
  expect((await browser.submit({ decision: 'deny' })).leftTo?.searchParams.get('error')).toBe('access_denied');

  const silent = await startSignIn(config, { redirect_uri, prompt: 'none' });
  expect((await browser.open(silent.url)).leftTo?.searchParams.get('error')).toBe('consent_required');
  const second = await startSignIn(config, { redirect_uri });
  await browser.open(second.url);
  const { leftTo } = await browser.submit({ decision: 'allow' });
  const tokens = await client.authorizationCodeGrant(config, leftTo as URL, second.checks);
  expect(tokens.claims()).toMatchObject({ aud: 'foreign', org_slug: 'acme' });
  expect((await browser.open(silent.url)).leftTo?.searchParams.get('code')).toBeTruthy();
});

test('the name of a deployment that is another account’s now gets nothing that was meant for the one before', async () => {
  await using fixture = await createIdentityFixture();
  const config = await discover(fixture);
  const { tokens, browser } = await signInAs(fixture, config);
  await fixture.db.deleteFrom('deployments').where('name', '=', 'helper').execute();
  await expect(client.refreshTokenGrant(config, tokens.refresh_token as string)).rejects.toMatchObject({
    error: 'invalid_client',
  });
  await fixture.deployment('helper', fixture.bobs.id);
  await expect(client.refreshTokenGrant(config, tokens.refresh_token as string)).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  const { url } = await startSignIn(config);
  expect((await browser.open(url)).text).toContain('will see your name');
});

test('a key signs in too, without a person; what it gave ends with it', async () => {
  await using fixture = await createIdentityFixture();
  const config = await discover(fixture);
  const browser = fixture.browser();
  const { url, checks } = await startSignIn(config);
  await browser.open(url);
  const { leftTo } = await browser.submit({ api_key: fixture.acme.key });
  const tokens = await client.authorizationCodeGrant(config, leftTo as URL, checks);
  expect(tokens.claims()).toMatchObject({ sub: fixture.acme.id, name: 'acme', org_id: fixture.acme.id });

  const { body: keys } = await fixture.call('GET', '/v1/user/keys', { key: fixture.acme.key });
  await fixture.call('DELETE', `/v1/user/keys?id=${keys[0].id}`, { key: fixture.acme.key });
  await expect(client.refreshTokenGrant(config, tokens.refresh_token as string)).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  expect((await browser.open(url)).text).toContain('Sign in');
});

test('signing out ends the session, the renewals of all agents and the way back to the agent is its own', async () => {
  await using fixture = await createIdentityFixture();
  const config = await discover(fixture);
  const { browser, tokens } = await signInAs(fixture, config);
  const signOut = (more: Record<string, string>) =>
    client.buildEndSessionUrl(config, { post_logout_redirect_uri: REDIRECT, ...more }).href;
  // Any page can lead here, so without proof the person is asked.
  expect((await browser.open(signOut({ id_token_hint: 'forged' }))).text).toContain('Sign out of Berth?');
  expect(await client.refreshTokenGrant(config, tokens.refresh_token as string)).toBeTruthy();
  fixture.clock.advance(3_600_000);
  const { leftTo } = await browser.open(signOut({ id_token_hint: tokens.id_token as string, state: 's' }));
  expect(leftTo?.href).toBe(`${REDIRECT}?state=s`);
  await expect(client.refreshTokenGrant(config, tokens.refresh_token as string)).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  const { url } = await startSignIn(config, { prompt: 'none' });
  expect((await browser.open(url)).leftTo?.searchParams.get('error')).toBe('login_required');
  expect((await browser.open(signOut({ post_logout_redirect_uri: 'http://evil.example/' }))).leftTo).toBeUndefined();
});

test('a sign-in lasts a day, and a change of password ends it', async () => {
  await using fixture = await createIdentityFixture();
  const config = await discover(fixture);
  const { browser, tokens } = await signInAs(fixture, config);
  const { url } = await startSignIn(config);
  fixture.clock.advance(24 * 3_600_000 - 1_000);
  expect((await browser.open(url)).leftTo).toBeDefined();
  fixture.clock.advance(1_000);
  expect((await browser.open(url)).text).toContain('Sign in');
  await expect(client.refreshTokenGrant(config, tokens.refresh_token as string)).rejects.toMatchObject({
    error: 'invalid_grant',
  });

  const { browser: second } = await signInAs(fixture, config);
  const { body: session } = await fixture.call('POST', '/v1/auth/sign-in/email', { json: ANN });
  const json = { current_password: ANN.password, new_password: 'an even longer password' };
  expect((await fixture.call('POST', '/v1/auth/change-password', { bearer: session.token, json })).status).toBe(200);
  expect((await second.open(url)).text).toContain('Sign in');
});

test('keys rotate: the next one is published before it signs, the last one until its tokens are over', async () => {
  await using fixture = await createIdentityFixture();
  const { clock, db, fetch, call, acme } = fixture;
  const published = async () =>
    ((await (await fetch(`${ISSUER}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  const signedBy = async () => {
    const { body } = await call('POST', '/v1/user/token', { key: acme.key, json: { deployment: 'helper' } });
    return decodeProtectedHeader(body.token).kid;
  };
  const DAY_MS = 24 * 3_600_000;
  const [first] = await published();
  expect(await signedBy()).toBe(first);
  clock.advance(28 * DAY_MS);
  const [, second] = await published();
  expect(await published()).toEqual([first, second]);
  expect(await signedBy()).toBe(first);
  clock.advance(2 * DAY_MS);
  expect(await signedBy()).toBe(second);
  expect(await published()).toEqual([first, second]);
  clock.advance(DAY_MS);
  expect(await published()).toEqual([second]);

  const rows = await db.selectFrom('identity_keys').selectAll().execute();
  expect(JSON.stringify(rows)).not.toMatch(/PRIVATE KEY|"d"/);
  const replaced = await call('POST', '/v1/admin/identity/replace-keys', { key: fixture.operatorKey });
  expect(replaced.status).toBe(200);
  expect(await published()).not.toContain(second);
  expect(await published()).toEqual([await signedBy()]);
  expect((await call('POST', '/v1/admin/identity/replace-keys', { key: acme.key })).status).toBe(403);
});

test('whoever is signed in at the console is known to the account’s agents, until they sign out there', async () => {
  await using fixture = await createIdentityFixture();
  const config = await discover(fixture);
  const page = { 'x-berth-browser': '1', origin: ISSUER, 'content-type': 'application/json' };
  const post = (path: string, headers: Record<string, string>, body: unknown = {}) =>
    fixture.fetch(ISSUER + path, { method: 'POST', headers: { ...page, ...headers }, body: JSON.stringify(body) });
  const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const cookie = cookieOf(await post('/v1/auth/sign-in/email', {}, ANN));
  const answer = await post('/v1/user/sign-in-at-agents', { cookie });
  const identity = cookieOf(answer);
  expect([answer.status, identity]).toEqual([200, expect.stringContaining('berth_identity=')]);
  // The second time it stays.
  const again = await post('/v1/user/sign-in-at-agents', { cookie: `${cookie}; ${identity}` });
  expect(again.headers.getSetCookie()).toEqual([]);

  const browser = fixture.browser();
  browser.cookies.set('berth_identity', identity);
  const { url, checks } = await startSignIn(config);
  const { leftTo } = await browser.open(url);
  const tokens = await client.authorizationCodeGrant(config, leftTo as URL, checks);
  expect(tokens.claims()).toMatchObject({ email: ANN.email, org_slug: 'acme' });

  await post('/v1/auth/sign-out', { cookie });
  expect((await browser.open((await startSignIn(config)).url)).text).toContain('Sign in to Berth');

  // No key, and no token: only a page with its cookie.
  const key = await post('/v1/user/sign-in-at-agents', { 'x-api-key': fixture.acme.key });
  const { body: session } = await fixture.call('POST', '/v1/auth/sign-in/email', { json: ANN });
  const bearer = await post('/v1/user/sign-in-at-agents', { authorization: `Bearer ${session.token}` });
  expect([key.status, bearer.status]).toEqual([403, 403]);
});

// Fails when the route is an open redirect, or reaches other paths of an agent than the callback.
test('a callback of a connector is passed on to its agent, on this machine only', async () => {
  await using fixture = await createIdentityFixture();
  const ask = (path: string) => fixture.fetch(`${ISSUER}/oauth2/connectors/${path}`);
  const answer = await ask('helper/notes?code=c%2B1&state=s');
  expect([answer.status, answer.headers.get('location'), answer.headers.get('referrer-policy')]).toEqual([
    302,
    'http://helper.localhost:8787/connectors/notes/callback?code=c%2B1&state=s',
    'no-referrer',
  ]);
  for (const path of [
    'nobody/notes',
    'evil.example%2F/notes',
    'helper/..%2F..%2Ffiles%2Fx',
    encodeURIComponent(ISSUER),
  ]) {
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
  }
  await using elsewhere = await createIdentityFixture({ issuer: 'https://api.apps.example.com' });
  const url = 'https://api.apps.example.com/oauth2/connectors/helper/notes?code=c';
  expect((await elsewhere.fetch(url)).status).toBe(404);
});
