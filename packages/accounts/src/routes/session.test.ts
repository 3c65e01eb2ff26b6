import { expect, test } from 'vitest';
import { type AccountFixture, createAccountFixture } from '../testing/account-fixture.ts';

const ANN = { email: 'ann@example.org', password: 'correct horse battery' };
const HOUR_MS = 3_600_000;

async function withAnn({ call, operatorKey: key }: AccountFixture): Promise<void> {
  expect((await call('POST', '/v1/admin/accounts', { key, json: { name: 'acme', user: ANN } })).status).toBe(200);
}

test('a person signs in, is somebody with all scopes, and signs out', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock } = fixture;
  await withAnn(fixture);
  const { status, body, headers } = await call('POST', '/v1/auth/sign-in/email', { json: ANN });
  expect(status).toBe(200);
  expect(Date.parse(body.expires_at) - clock.nowMs()).toBe(24 * HOUR_MS);
  // Nothing that a browser sends by itself is a credential.
  expect(headers.get('set-cookie')).toBeNull();

  const who = await call('GET', '/v1/user', { bearer: body.token });
  expect(who.body).toMatchObject({ account: { name: 'acme' }, user: { email: ANN.email }, key: null });
  expect(who.body.scopes).toContain('admin');
  expect((await call('GET', '/v1/user', { key: body.token })).status).toBe(401);
  expect((await call('GET', '/v1/user', { headers: { Cookie: `session=${body.token}` } })).status).toBe(401);

  expect((await call('GET', '/v1/auth/get-session', { bearer: body.token })).body.user.email).toBe(ANN.email);
  const current = async () => (await call('GET', '/v1/auth/session', { bearer: body.token })).body.session;
  expect((await current()).user.email).toBe(ANN.email);
  expect((await call('POST', '/v1/auth/sign-out', { bearer: body.token })).status).toBe(200);
  // Fails when a page that nobody is signed in at makes the browser log an error.
  expect(await current()).toBe(null);
  expect((await call('GET', '/v1/user', { bearer: body.token })).status).toBe(401);
  expect((await call('GET', '/v1/auth/get-session', { bearer: body.token })).status).toBe(401);
});

test('a wrong password and an unknown address are answered alike', async () => {
  await using fixture = await createAccountFixture();
  const { call } = fixture;
  await withAnn(fixture);
  const wrong = await call('POST', '/v1/auth/sign-in/email', { json: { ...ANN, password: 'not the password' } });
  const unknown = await call('POST', '/v1/auth/sign-in/email', { json: { ...ANN, email: 'bob@example.org' } });
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect([unknown.status, unknown.body]).toEqual([wrong.status, wrong.body]);
});

test('guessing is slowed down', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock } = fixture;
  await withAnn(fixture);
  const guess = (forwarded: number) =>
    call('POST', '/v1/auth/sign-in/email', {
      json: { ...ANN, password: 'not the password' },
      // A client can say what it likes here; it must not buy another try.
      headers: { 'X-Forwarded-For': `10.0.0.${forwarded}`, 'X-Berth-Client-Address': `10.0.0.${forwarded}` },
    });
  for (let i = 0; i < 10; i++) expect((await guess(i)).status).toBe(401);
  const { status, headers } = await guess(11);
  expect([status, Number(headers.get('retry-after'))]).toEqual([429, 60]);
  expect((await call('POST', '/v1/auth/sign-in/email', { json: ANN })).status).toBe(429);
  clock.advance(60_000);
  expect((await call('POST', '/v1/auth/sign-in/email', { json: ANN })).status).toBe(200);
});

// Fails when `Auth.handle` takes no attempt: each address alone stays below its own limit.
test('guessing from many addresses is slowed down, and locks nobody out where they are signed in', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock } = fixture;
  await withAnn(fixture);
  const home = '2001:db8:1:2::7';
  const signIn = (address: string, more: object = {}) =>
    call('POST', '/v1/auth/sign-in/email', { json: { ...ANN, ...more }, address });
  const { body } = await signIn(home);
  // Right passwords are no attempts.
  for (let i = 0; i < 9; i++) await signIn(home);
  clock.advance(60_000);
  const attack = async (email = ANN.email) => {
    const statuses: number[] = [];
    for (let i = 0; i < 25; i++) {
      statuses.push((await signIn(`203.0.113.${i}`, { email, password: 'not the password' })).status);
    }
    return statuses;
  };
  const slowed = (left: number) => [...Array<number>(left).fill(401), ...Array<number>(25 - left).fill(429)];
  // Of one address the usual ten count; those that its own limit stops don't.
  for (let i = 0; i < 25; i++) await signIn('203.0.113.100', { password: 'not the password' });
  expect(await attack()).toEqual(slowed(10));
  const stranger = await signIn('203.0.113.200');
  expect([stranger.status, stranger.headers.get('retry-after')]).toEqual([429, '900']);
  // In other letters it is the same person.
  expect((await signIn('203.0.113.201', { email: 'ANN@example.org' })).status).toBe(429);
  // An address of the same network as that of the session, written differently.
  expect((await signIn('2001:0DB8:0001:0002:ffff::1')).status).toBe(200);
  // The password of an open session is no easier to guess.
  const change = (address: string) =>
    call('POST', '/v1/auth/change-password', {
      bearer: body.token,
      address,
      json: { current_password: 'not the password', new_password: 'another long password' },
    });
  expect((await change('203.0.113.202')).status).toBe(429);
  expect((await change(home)).status).toBe(400);
  // An address that no one has is slowed down alike.
  clock.advance(60_000);
  expect(await attack('nobody@example.org')).toEqual(slowed(20));
  clock.advance(15 * 60_000);
  expect((await signIn('203.0.113.200')).status).toBe(200);
});

// Fails when a password is hashed for one of the two only, which takes a tenth of a second.
test('an address that nobody has costs as much time as a wrong password, and a taken one as much as a free one', async () => {
  await using fixture = await createAccountFixture({ isSignUpAllowed: true, hasSlowPasswords: true });
  const { call } = fixture;
  await withAnn(fixture);
  const measure = async (route: string, email: string, address: string) => {
    const startedMs = performance.now();
    const json = { email, password: 'not the password', name: 'x' };
    await call('POST', `/v1/auth/${route}/email`, { json, address });
    return performance.now() - startedMs;
  };
  for (const route of ['sign-in', 'sign-up']) {
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let i = 0; i < 5; i++) {
      known.push(await measure(route, ANN.email, `203.0.113.${i}`));
      unknown.push(await measure(route, `nobody-${i}@example.org`, `203.0.113.${i}`));
    }
    // The fastest of each is what the machine's other work disturbed least.
    const [a, b] = [Math.min(...known), Math.min(...unknown)];
    expect([route, Math.max(a, b) / Math.min(a, b) < 4]).toEqual([route, true]);
  }
});

test('a session ends by itself after a day, and says so', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, db } = fixture;
  await withAnn(fixture);
  const { body } = await call('POST', '/v1/auth/sign-in/email', { json: ANN });
  const { expires_at } = await db.selectFrom('auth_sessions').select('expires_at').executeTakeFirstOrThrow();
  clock.advance(expires_at - clock.nowMs() - 1);
  expect((await call('GET', '/v1/user', { bearer: body.token })).status).toBe(200);
  clock.advance(1);
  const late = await call('GET', '/v1/user', { bearer: body.token });
  expect([late.status, late.body.detail]).toEqual([
    401,
    `This session expired at ${new Date(expires_at).toISOString()}.`,
  ]);
});

test('asking for a session that is older than an hour gives it a whole day again', async () => {
  await using fixture = await createAccountFixture();
  const { call, db } = fixture;
  await withAnn(fixture);
  const { body } = await call('POST', '/v1/auth/sign-in/email', { json: ANN });
  const sessions = () => db.selectFrom('auth_sessions').selectAll().execute();
  const expiry = async () => (await sessions())[0]?.expires_at ?? 0;
  const startMs = await expiry();
  await call('GET', '/v1/auth/get-session', { bearer: body.token });
  expect(await expiry()).toBe(startMs);
  await db
    .updateTable('auth_sessions')
    .set({ expires_at: startMs - 2 * HOUR_MS })
    .execute();
  const { body: session } = await call('GET', '/v1/auth/get-session', { bearer: body.token });
  expect(await expiry()).toBeGreaterThanOrEqual(startMs);
  expect(Date.parse(session.expires_at)).toBe(await expiry());
  expect(await sessions()).toHaveLength(1);
  expect((await call('GET', '/v1/user', { bearer: body.token })).status).toBe(200);
});

test('the hash in the database is no token', async () => {
  await using fixture = await createAccountFixture();
  const { call, db } = fixture;
  await withAnn(fixture);
  await call('POST', '/v1/auth/sign-in/email', { json: ANN });
  const { token } = await db.selectFrom('auth_sessions').select('token').executeTakeFirstOrThrow();
  expect((await call('GET', '/v1/user', { bearer: token })).status).toBe(401);
  expect((await call('GET', '/v1/auth/get-session', { bearer: token })).status).toBe(401);
});

test('a change of password ends every session but the one it begins', async () => {
  await using fixture = await createAccountFixture();
  const { call } = fixture;
  await withAnn(fixture);
  const signIn = async (password: string) => call('POST', '/v1/auth/sign-in/email', { json: { ...ANN, password } });
  const [first, second] = [(await signIn(ANN.password)).body.token, (await signIn(ANN.password)).body.token];
  const change = (bearer: string | undefined, current_password: string) =>
    call('POST', '/v1/auth/change-password', {
      ...(bearer === undefined ? {} : { bearer }),
      json: { current_password, new_password: 'another long password' },
    });
  expect((await change(undefined, ANN.password)).status).toBe(401);
  expect((await change(first, 'not the password')).status).toBe(400);
  const { status, body } = await change(first, ANN.password);
  expect(status).toBe(200);
  for (const token of [first, second]) expect((await call('GET', '/v1/user', { bearer: token })).status).toBe(401);
  expect((await call('GET', '/v1/user', { bearer: body.token })).status).toBe(200);
  expect((await signIn(ANN.password)).status).toBe(401);
  expect((await signIn('another long password')).status).toBe(200);
});

test('a change of password ends no session where that is not wanted, and the log says what was done', async () => {
  await using fixture = await createAccountFixture();
  const { call } = fixture;
  await withAnn(fixture);
  const signIn = async (password: string) => call('POST', '/v1/auth/sign-in/email', { json: { ...ANN, password } });
  const [first, second] = [(await signIn(ANN.password)).body.token, (await signIn(ANN.password)).body.token];
  const changed = await call('POST', '/v1/auth/change-password', {
    bearer: first,
    json: { current_password: ANN.password, new_password: 'another long password', end_other_sessions: false },
  });
  expect([changed.status, changed.body.token, changed.body.user.email]).toEqual([200, first, ANN.email]);
  expect(Date.parse(changed.body.expires_at)).toBeGreaterThan(0);
  for (const token of [first, second]) expect((await call('GET', '/v1/user', { bearer: token })).status).toBe(200);
  expect((await signIn('another long password')).status).toBe(200);
  const { body: log } = await call('GET', '/v1/user/audit', { bearer: first });
  expect(log.entries[0]).toMatchObject({ action: 'password.change', details: { end_other_sessions: false } });
  expect(JSON.stringify(log)).not.toContain('another long');
});

test('people change what they are called', async () => {
  await using fixture = await createAccountFixture();
  const { call } = fixture;
  await withAnn(fixture);
  const { body } = await call('POST', '/v1/auth/sign-in/email', { json: ANN });
  const bearer = body.token as string;
  const renamed = await call('POST', '/v1/user/profile', { bearer, json: { name: '  Ann Lee ' } });
  expect([renamed.status, renamed.body]).toEqual([200, { ...body.user, name: 'Ann Lee' }]);
  expect((await call('GET', '/v1/user', { bearer })).body.user.name).toBe('Ann Lee');
  for (const name of ['', '  ', 'x'.repeat(101)]) {
    expect((await call('POST', '/v1/user/profile', { bearer, json: { name } })).status).toBe(422);
  }
  const { body: log } = await call('GET', '/v1/user/audit', { bearer });
  expect(log.entries[0]).toMatchObject({ action: 'person.rename', details: { name: 'Ann Lee' } });
});

test('sign-up is closed unless the operator opens it', async () => {
  await using closed = await createAccountFixture();
  const json = { ...ANN, name: 'Ann' };
  const refused = await closed.call('POST', '/v1/auth/sign-up/email', { json });
  expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('Sign-up is disabled')]);
  expect(await closed.db.selectFrom('auth_users').select('id').execute()).toEqual([]);

  await using open = await createAccountFixture({ isSignUpAllowed: true });
  const { status, body } = await open.call('POST', '/v1/auth/sign-up/email', { json });
  expect(status).toBe(200);
  const who = await open.call('GET', '/v1/user', { bearer: body.token });
  expect(who.body).toMatchObject({
    account: { name: expect.stringMatching(/^ann-[0-9a-z]{10}$/) },
    user: { name: 'Ann' },
  });
  // Fails when sign-up says that an address is taken, or lets someone in without the password.
  const taken = { ...json, password: 'not the password' };
  const twice = await open.call('POST', '/v1/auth/sign-up/email', { json: taken });
  const wrong = await open.call('POST', '/v1/auth/sign-in/email', { json: { ...ANN, password: taken.password } });
  expect([twice.status, twice.body]).toEqual([401, wrong.body]);
  expect(await open.db.selectFrom('auth_users').select('id').execute()).toHaveLength(1);
  const weak = await open.call('POST', '/v1/auth/sign-up/email', { json: { email: 'x', password: 'short' } });
  expect(weak.body.detail.map(({ loc }: { loc: string[] }) => loc[1])).toEqual(['email', 'password', 'name']);
});

test('no other route is under /v1/auth', async () => {
  await using fixture = await createAccountFixture();
  for (const route of ['ok', 'list-sessions', 'update-user', 'delete-user', 'sign-in/social', 'error', 'reference']) {
    for (const method of ['GET', 'POST']) {
      expect([route, (await fixture.call(method, `/v1/auth/${route}`)).status]).toEqual([route, 404]);
    }
  }
});
