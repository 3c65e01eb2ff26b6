import { isOnPostgres } from '@berth/database/testing';
import type { JWTPayload } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccountFixture, createAccountFixture } from '../testing/account-fixture.ts';
import { type OidcProvider, parseOidcProviders } from './parse-oidc-providers.ts';
import { openTestOidcProvider, type TestOidcProvider, type TestSignIn } from './testing/open-test-oidc-provider.ts';

const BASE = 'http://localhost:8787';
const ADA = { sub: 'ada', email: 'Ada@Example.org', email_verified: true, name: 'Ada' };

let idp: TestOidcProvider;
let fixture: AccountFixture;

/** One issuer stands for four providers of different rules; a file can't have that. */
const providerOf = (id: string, rules: Partial<OidcProvider> = {}): OidcProvider => ({
  id,
  name: id,
  issuer: idp.issuer,
  client_id: idp.clientId,
  client_secret: idp.clientSecret,
  scope: 'openid email',
  email_domains: [],
  link_by_email: false,
  trust_email: false,
  ...rules,
});

beforeAll(async () => {
  idp = await openTestOidcProvider({ nowMs: () => fixture.clock.nowMs() });
  fixture = await createAccountFixture({
    oidcProviders: [
      providerOf('open', { new_people: { account: 'other', role: 'member' } }),
      providerOf('closed'),
      providerOf('linking', { link_by_email: true, email_domains: ['example.org'] }),
      providerOf('trusting', { trust_email: true, new_people: { account: 'other', role: 'admin' } }),
      providerOf('away', { issuer: 'http://localhost:1' }),
    ],
  });
});

// Tries are bounded.
beforeEach(() => fixture.clock.advance(60_000));

afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await idp[Symbol.asyncDispose]();
});

/** A browser: its cookies, and where it was led last. */
function browser() {
  const cookies = new Map<string, string>();
  const send = async (route: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('host', 'localhost:8787');
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fixture.api.request(route, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  const locationOf = (response: Response) => new URL(response.headers.get('location') ?? '', BASE);
  const own = { 'x-berth-browser': '1', 'content-type': 'application/json' };
  const follow = async (url: string) => {
    const back = await idp.visit(url);
    return locationOf(await send(back.pathname + back.search));
  };
  return {
    cookies,
    send,
    follow,
    start: async (provider: string, returnTo = '/') =>
      locationOf(await send(`/v1/auth/oidc/start?${new URLSearchParams({ provider, return_to: returnTo })}`)),
    async signIn(provider: string, claims: JWTPayload, rest: Omit<TestSignIn, 'claims'> = {}, returnTo = '/') {
      idp.signIn({ claims, ...rest });
      return follow((await this.start(provider, returnTo)).href);
    },
    call: async (method: string, route: string, json?: unknown) => {
      const body = json === undefined ? null : JSON.stringify(json);
      const response = await send(route, { method, headers: own, body });
      // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
      return { status: response.status, body: (await response.json()) as any };
    },
  };
}

const problemOf = (url: URL) => [url.pathname, url.searchParams.get('problem')];

describe('sign-in with a provider', () => {
  it('lists the ways to sign in', async () => {
    const { body } = await fixture.call('GET', '/v1/auth/providers');
    expect(body).toContainEqual({ kind: 'password', id: 'password', name: 'Password' });
    expect(body).toContainEqual({ kind: 'oidc', id: 'open', name: 'open' });
    expect(body).toContainEqual({ kind: 'passkey', id: 'passkey', name: 'Passkey' });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('makes a new person a member, leads back to the page that was asked for, and knows them again', async () => {
    const first = browser();
    expect((await first.signIn('open', ADA, {}, '/logs?q=a#b')).href).toBe(`${BASE}/logs?q=a#b`);
    const { body } = await first.call('GET', '/v1/user');
    expect(body).toMatchObject({
      account: { name: 'other' },
      role: 'member',
      user: { name: 'Ada', email: 'ada@example.org' },
    });
    const asked = idp.asked.at(-1);
    expect(asked?.get('redirect_uri')).toBe(`${BASE}/v1/auth/oidc/callback`);
    expect([asked?.get('code_challenge_method'), asked?.get('nonce')?.length]).toEqual(['S256', 43]);

    // Another address, and a provider that lets no one new in: it is the subject that counts.
    const second = browser();
    expect((await second.signIn('closed', { sub: 'ada', email: 'other@example.org' })).pathname).toBe('/');
    expect((await second.call('GET', '/v1/user')).body.user).toEqual(body.user);
    const audit = await fixture.call('GET', '/v1/user/audit', { key: fixture.other.key.secret });
    expect(audit.body.entries).toContainEqual(
      expect.objectContaining({
        action: 'member.join',
        target: body.user.id,
        details: { role: 'member', provider: 'open' },
      }),
    );
  });

  it.each<[string, string, string, JWTPayload, Omit<TestSignIn, 'claims'>]>([
    ['who declines', 'declined', 'open', ADA, { error: 'access_denied' }],
    ['another error of the provider', 'refused', 'open', ADA, { error: 'server_error' }],
    ['an answer of another issuer', 'refused', 'open', ADA, { answerIssuer: 'https://evil.example' }],
    ['a signature of a stranger', 'refused', 'open', ADA, { isForged: true }],
    ['another nonce', 'refused', 'open', { ...ADA, nonce: 'x' }, {}],
    ['another audience', 'refused', 'open', { ...ADA, aud: 'another' }, {}],
    ['another issuer in the token', 'refused', 'open', { ...ADA, iss: 'https://evil.example' }, {}],
    ['a token that is over', 'refused', 'open', { ...ADA, exp: 1_000 }, {}],
    ['nobody whom an invitation let in', 'closed', 'closed', { ...ADA, sub: 'new', email: 'new@example.org' }, {}],
    ['an address that nobody verified', 'email_unverified', 'open', { sub: 'bo', email: 'bo@example.org' }, {}],
    ['a domain that is not let in', 'email_domain', 'linking', { ...ADA, email: 'ada@example.org.evil.example' }, {}],
    ['an address that a person here has', 'email_taken', 'open', { ...ADA, sub: 'impostor' }, {}],
  ])('refuses %s', async (_, problem, provider, claims, rest) => {
    const one = browser();
    expect(problemOf(await one.signIn(provider, claims, rest))).toEqual(['/sign-in-problem', problem]);
    expect(one.cookies.has('berth_session')).toBe(false);
  });

  it('links by a verified address only where the operator says so', async () => {
    const one = browser();
    await fixture.services.accounts.create(
      { name: 'cleo', user: { email: 'cleo@example.org', password: 'correct horse battery' } },
      { actor: { kind: 'system', id: null } },
    );
    const cleo = { sub: 'cleo', email: 'cleo@example.org', email_verified: true };
    expect(problemOf(await one.signIn('open', cleo))[1]).toBe('email_taken');
    expect((await one.signIn('linking', cleo)).pathname).toBe('/');
    expect((await one.call('GET', '/v1/user')).body.account.name).toBe('cleo');
    const { body } = await one.call('GET', '/v1/user/identities');
    expect(body).toMatchObject({ identities: [{ issuer: idp.issuer, provider: 'open' }] });
  });

  it('reads an address from user info, and trusts one where the operator says so', async () => {
    const one = browser();
    const userInfo = { email: 'dan@example.org', name: 'Dan' };
    expect((await one.signIn('trusting', { sub: 'dan' }, { userInfo })).pathname).toBe('/');
    expect((await one.call('GET', '/v1/user')).body).toMatchObject({ role: 'admin', user: { name: 'Dan' } });
  });

  it('is of the browser that began it, for ten minutes, and leads nowhere but home', async () => {
    const [one, other] = [browser(), browser()];
    idp.signIn({ claims: { ...ADA } });
    const url = (await one.start('open', '//evil.example/x')).href;
    const back = await idp.visit(url);
    const visit = async (who: ReturnType<typeof browser>) =>
      new URL((await who.send(back.pathname + back.search)).headers.get('location') ?? '', BASE);
    expect(problemOf(await visit(other))[1]).toBe('expired');
    await other.start('open');
    // It has a mark of its own now, and so another verifier.
    expect(problemOf(await visit(other))[1]).toBe('refused');
    const again = await idp.visit(url);
    expect((await one.send(again.pathname + again.search)).headers.get('location')).toBe('/');
    const late = await idp.visit((await one.start('open')).href);
    fixture.clock.advance(10 * 60_000);
    expect(
      problemOf(new URL((await one.send(late.pathname + late.search)).headers.get('location') ?? '', BASE))[1],
    ).toBe('expired');
  });

  it('says of a provider that is away, and of one that there is not', async () => {
    const one = browser();
    expect(problemOf(await one.start('away'))[1]).toBe('unavailable');
    expect(problemOf(await one.start('nobody'))[1]).toBe('not_offered');
    const elsewhere = await fixture.api.request('/v1/auth/oidc/start?provider=open', {
      headers: { host: '127.0.0.1:8787' },
    });
    expect(elsewhere.headers.get('location')).toMatch(/^http:\/\/localhost:8787\/v1\/auth\/oidc\/start\?.*moved=1$/);
  });
});

describe('an address that somebody took before its owner came', () => {
  /** Joins by an invitation that is for no address, and gives one that no one proves. */
  const takeAddress = async (name: string) => {
    const json = { role: 'admin' };
    const { body: invite } = await fixture.call('POST', '/v1/user/invites', { key: fixture.operatorKey, json });
    const user = { email: `${name}@example.org`, password: 'correct horse battery' };
    const first = browser();
    const { body: joined } = await first.call('POST', '/v1/auth/invites/accept', {
      ...user,
      name,
      token: invite.link.split('#')[1],
    });
    const signIn = () => fixture.call('POST', '/v1/auth/sign-in/email', { json: user });
    const claims = { sub: name, email: user.email, email_verified: true };
    return { first, signIn, claims, bearer: (await signIn()).body.token as string, userId: joined.user.id as string };
  };

  // Fails without the call of `endAllAccess`, and for each of its statements that is left out.
  it('is handed to its owner, and nothing works any more that was there before', async () => {
    const { db, call, clock } = fixture;
    const { first: squatter, signIn, claims, bearer, userId } = await takeAddress('dora');
    const { body: key } = await call('POST', '/v1/user/keys', { bearer, json: { name: 'k', scopes: ['admin'] } });
    const { body: invite } = await call('POST', '/v1/user/invites', { bearer, json: { role: 'admin' } });
    const { body: device } = await call('POST', '/v1/auth/device/code', { json: { device_name: 'laptop' } });
    const approval = { user_code: device.user_code, approve: true };
    expect((await call('POST', '/v1/user/device', { bearer, json: approval })).status).toBe(200);
    const row = { user_id: userId, created_at: clock.nowMs() };
    const passkey = { credential_id: 'c', public_key: 'k', counter: 0, transports: '[]', is_synced: 0 };
    await db
      .insertInto('passkeys')
      .values({ ...row, ...passkey, id: 'pky_dora', name: 'squatter', last_used_at: null })
      .execute();
    const { account } = (await call('GET', '/v1/user', { bearer })).body;
    await db
      .insertInto('identity_sessions')
      .values({
        ...row,
        account_id: account.id,
        hash: 'h',
        key_id: key.id,
        auth_session: null,
        expires_at: clock.nowMs() + 60_000,
      })
      .execute();
    await db
      .insertInto('identity_consents')
      .values({
        subject: userId,
        client_id: 'spy',
        client_account_id: fixture.other.account.id,
        created_at: clock.nowMs(),
      })
      .execute();
    // Two identities of the squatter's own: one is connected, and for the other one the browser is at the provider.
    const begin = async () => (await squatter.call('POST', '/v1/user/identities', { provider: 'closed' })).body.url;
    const finish = (sub: string, url: string) => {
      idp.signIn({ claims: { sub } });
      return squatter.follow(url);
    };
    expect((await finish('squatter', await begin())).pathname).toBe('/account');
    const begun = await begin();

    const owner = browser();
    expect((await owner.signIn('linking', claims)).pathname).toBe('/');

    const { body: who } = await owner.call('GET', '/v1/user');
    expect(who).toMatchObject({ account: { name: 'operator' }, role: 'admin', user: { id: userId } });
    expect((await signIn()).status).toBe(401);
    expect((await call('GET', '/v1/user', { bearer })).status).toBe(401);
    expect((await squatter.call('GET', '/v1/user')).status).toBe(401);
    expect((await call('GET', '/v1/user', { key: key.secret })).status).toBe(401);
    const token = invite.link.split('#')[1];
    expect((await call('POST', '/v1/auth/invites/show', { json: { token } })).status).toBe(404);
    const polled = await call('POST', '/v1/auth/device/token', { json: { device_code: device.device_code } });
    expect(polled.body.error).toBe('expired_token');
    expect(problemOf(await finish('squatter-too', begun))[1]).toBe('expired');
    for (const sub of ['squatter', 'squatter-too']) {
      expect(problemOf(await browser().signIn('closed', { sub, email_verified: true }))[1]).toBe('closed');
    }
    expect((await owner.call('GET', '/v1/user/passkeys')).body).toEqual([]);
    expect(await db.selectFrom('identity_sessions').select('hash').execute()).toEqual([]);
    expect(await db.selectFrom('identity_consents').select('subject').execute()).toEqual([]);
    const { body: log } = await owner.call('GET', '/v1/user/audit');
    expect(log.entries[0]).toMatchObject({ action: 'identity.link', details: { ended_access: true } });
  });

  it('ends nothing for a person who connected a provider with that address before', async () => {
    const { first: emil, signIn, claims, bearer } = await takeAddress('emil');
    idp.signIn({ claims });
    const { body } = await emil.call('POST', '/v1/user/identities', { provider: 'closed' });
    expect((await emil.follow(body.url)).pathname).toBe('/account');
    const other = browser();
    expect((await other.signIn('linking', { ...claims, sub: 'emil at another provider' })).pathname).toBe('/');
    expect((await fixture.call('GET', '/v1/user', { bearer })).status).toBe(200);
    expect((await signIn()).status).toBe(200);
  });

  // A table that is new here may hold one more way in: end it in `endAllAccess`, then add it to this list.
  // Reads the tables of SQLite, which are those of Postgres.
  it.skipIf(isOnPostgres)('knows every table that is about people', async () => {
    const { rows } = await sql<{ column: string }>`
      SELECT t.name || '.' || f."from" AS column FROM sqlite_master t, pragma_foreign_key_list(t.name) f
      WHERE t.type = 'table' AND f."table" = 'auth_users' ORDER BY 1`.execute(fixture.db);
    const ended = ['account_invites.invited_by', 'api_keys.user_id', 'auth_accounts.user_id', 'auth_sessions.user_id'];
    ended.push('device_grants.user_id', 'identity_sessions.user_id', 'passkeys.user_id', 'sign_in_places.user_id');
    expect(rows.map(({ column }) => column)).toEqual(['account_members.user_id', ...ended].sort());
  });
});

describe('a provider as one more way to sign in', () => {
  it('is connected by who is signed in, taken away again, and is not the last way', async () => {
    const eve = browser();
    await eve.signIn('open', { sub: 'eve', email: 'eve@example.org', email_verified: true });
    const { body: before } = await eve.call('GET', '/v1/user/identities');
    expect(before).toMatchObject({ has_password: false, identities: [{ issuer: idp.issuer }] });
    const only = before.identities[0].id;
    const last = await eve.call('DELETE', `/v1/user/identities?id=${only}`);
    expect([last.status, last.body.detail]).toEqual([409, expect.stringContaining('only sign-in method')]);

    idp.signIn({ claims: { sub: 'eve-too' } });
    const { body } = await eve.call('POST', '/v1/user/identities', { provider: 'closed', return_to: '/account' });
    expect((await eve.follow(body.url)).pathname).toBe('/account');
    expect((await eve.call('GET', '/v1/user/identities')).body.identities).toHaveLength(2);
    const stranger = browser();
    expect((await stranger.signIn('closed', { sub: 'eve-too' })).pathname).toBe('/');
    expect((await stranger.call('GET', '/v1/user')).body.user.email).toBe('eve@example.org');
    expect((await eve.call('DELETE', `/v1/user/identities?id=${only}`)).status).toBe(200);
    expect((await eve.call('DELETE', `/v1/user/identities?id=${only}`)).status).toBe(404);

    // What is another's stays so.
    idp.signIn({ claims: { sub: 'ada' } });
    const again = await eve.call('POST', '/v1/user/identities', { provider: 'closed' });
    expect(problemOf(await eve.follow(again.body.url))[1]).toBe('linked_elsewhere');
    fixture.clock.advance(15 * 60_000);
    const late = await eve.call('POST', '/v1/user/identities', { provider: 'closed' });
    expect([late.status, late.body.detail]).toEqual([403, expect.stringContaining('Sign in again')]);
    const key = await fixture.call('GET', '/v1/user/identities', { key: fixture.operatorKey });
    expect(key.status).toBe(403);
  });

  it('accepts an invitation, for its address alone', async () => {
    const invite = async (email?: string) => {
      const json = { role: 'admin', ...(email === undefined ? {} : { email }) };
      const { body } = await fixture.call('POST', '/v1/user/invites', { key: fixture.operatorKey, json });
      return body.link.split('#')[1] as string;
    };
    const one = browser();
    const join = async (token: string) => {
      const { body } = await one.call('POST', '/v1/auth/oidc/join', { provider: 'closed', token });
      return one.follow(body.url);
    };
    idp.signIn({ claims: { sub: 'fay', email: 'fay@example.org', email_verified: true } });
    expect(problemOf(await join(await invite('gil@example.org')))[1]).toBe('invitation');
    expect(problemOf(await join('no such token'))[1]).toBe('invitation');
    expect((await join(await invite('fay@example.org'))).pathname).toBe('/');
    expect((await one.call('GET', '/v1/user')).body).toMatchObject({ account: { name: 'operator' }, role: 'admin' });
    // A link that its own member opens again is kept for someone else.
    const open = await invite();
    expect((await join(open)).pathname).toBe('/');
    expect((await fixture.call('POST', '/v1/auth/invites/show', { json: { token: open } })).status).toBe(200);
  });
});

describe('the operator’s file', () => {
  const good = { id: 'x', name: 'X', issuer: 'https://x.example', client_id: 'c' };
  it('is read with its defaults', () => {
    expect(parseOidcProviders(JSON.stringify([good]))[0]).toMatchObject({ link_by_email: false, email_domains: [] });
  });
  it.each([
    ['0.issuer: must begin with https://', [{ ...good, issuer: 'http://x.example' }]],
    ['0.scope: must include openid', [{ ...good, scope: 'email' }]],
    ['0.new_people.role', [{ ...good, new_people: { account: 'a', role: 'king' } }]],
    ['Unrecognized key', [{ ...good, secret: 'x' }]],
    ['two providers have the same id x', [good, { ...good, issuer: 'https://y.example' }]],
  ])('is refused: %s', (message, file) => {
    expect(() => parseOidcProviders(JSON.stringify(file))).toThrow(message);
  });
});
