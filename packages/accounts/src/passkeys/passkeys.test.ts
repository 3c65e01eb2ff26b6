import { expect, test } from 'vitest';
import { type AccountFixture, createAccountFixture, type FixtureCall } from '../testing/account-fixture.ts';
import { type CeremonyOptions, createFakePasskey, type FakePasskey } from '../testing/fake-authenticator.ts';

const ANN = { email: 'ann@example.org', password: 'correct horse battery', name: 'Ann' };
const BOB = { ...ANN, email: 'bob@example.org' };
const BROWSER = { 'X-Berth-Browser': '1' };
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';
const MINUTE_MS = 60_000;

const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? '';

/** Ann of the account acme, at a browser, with what she does there. */
async function openAnn(fixture: AccountFixture, person = ANN) {
  const { call, operatorKey: key, db } = fixture;
  const { body: made } = await call('POST', '/v1/admin/accounts', {
    key,
    json: { name: person.email[0], user: person },
  });
  const signIn = async () => (await call('POST', '/v1/auth/sign-in/email', { json: person })).body.token as string;
  const bearer = await signIn();
  const own = (method: string, path: string, json?: unknown) =>
    call(method, `/v1/user/passkeys${path}`, { bearer, json, headers: { 'User-Agent': CHROME } });
  return {
    key: made.key.secret as string,
    bearer,
    signIn,
    own,
    async add(passkey: FakePasskey, options: Partial<CeremonyOptions> = {}) {
      const { body } = await own('POST', '/options', {});
      return own('POST', '', { credential: passkey.register({ challenge: body.challenge, ...options }) });
    },
    actions: async () =>
      (await db.selectFrom('audit_log').select('action').orderBy('id').execute())
        .map(({ action }) => action)
        .filter((action) => action.startsWith('passkey')),
  };
}

/** Signs in as a page does: asks, has it signed, and sends it. */
async function useKey({ call }: AccountFixture, passkey: FakePasskey, options: Partial<CeremonyOptions> = {}) {
  const { body, headers } = await call('POST', '/v1/auth/passkey/options', { headers: BROWSER });
  const json = passkey.assert({ challenge: body.challenge, ...options });
  const cookie = { ...BROWSER, Cookie: cookieOf(headers) };
  const send = (more: FixtureCall = {}) => call('POST', '/v1/auth/passkey/sign-in', { json, headers: cookie, ...more });
  return { options: body, setCookie: headers.get('set-cookie'), json, cookie, send };
}

test('a person adds a passkey, signs in with it, renames and removes it, and the log says so', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock } = fixture;
  const ann = await openAnn(fixture);
  const passkey = createFakePasskey('bada5566-a7aa-401f-bd96-45619a55120d');
  const { body: options } = await ann.own('POST', '/options', {});
  expect(options).toMatchObject({
    rp: { id: 'localhost' },
    user: { name: ANN.email, displayName: 'Ann' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [],
  });
  const added = await ann.add(passkey);
  expect(added.body).toMatchObject({
    name: '1Password',
    is_synced: true,
    credential_id: passkey.id,
    last_used_at: null,
  });
  expect((await ann.own('POST', '/options', {})).body.excludeCredentials).toMatchObject([{ id: passkey.id }]);

  clock.advance(MINUTE_MS);
  const visit = await useKey(fixture, passkey, { userHandle: options.user.id });
  expect(visit.options).toMatchObject({ rpId: 'localhost', userVerification: 'required', timeout: 300_000 });
  expect(visit.setCookie).toMatch(/^berth_passkey=[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; SameSite=Strict$/);
  const signedIn = await visit.send();
  expect([signedIn.status, signedIn.body.token, signedIn.body.user.email]).toEqual([200, undefined, ANN.email]);
  const session =
    signedIn.headers
      .getSetCookie()
      .find((line) => line.startsWith('berth_session='))
      ?.split(';')[0] ?? '';
  const who = await call('GET', '/v1/user', { headers: { ...BROWSER, Cookie: session } });
  expect(who.body.user.email).toBe(ANN.email);

  const { id } = added.body;
  const renamed = await ann.own('POST', '/rename', { id, name: ' My vault ' });
  expect(renamed.body).toMatchObject({ name: 'My vault', last_used_at: new Date(clock.nowMs()).toISOString() });
  expect((await ann.own('GET', '')).body).toEqual([renamed.body]);
  expect((await ann.own('DELETE', `?id=${id}`)).status).toBe(200);
  expect((await ann.own('DELETE', `?id=${id}`)).status).toBe(404);
  expect((await (await useKey(fixture, passkey)).send()).status).toBe(401);
  expect(await ann.actions()).toEqual(['passkey.create', 'passkey.sign_in', 'passkey.rename', 'passkey.delete']);
});

test('nothing but a good answer to an own, fresh question opens anything, and all refusals are alike', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, db } = fixture;
  const ann = await openAnn(fixture);
  const passkey = createFakePasskey();
  expect((await ann.add(passkey)).body.name).toBe('Chrome on Linux');
  const sessions = async () => (await db.selectFrom('auth_sessions').select('id').execute()).length;
  const before = await sessions();
  const wrong: Record<string, () => Promise<{ status: number; body: { detail: string } }>> = {};
  const ceremony = (name: string, options: Partial<CeremonyOptions>, key = passkey) => {
    wrong[name] = async () => (await useKey(fixture, key, options)).send();
  };
  ceremony('another origin', { origin: 'http://evil.localhost:8787' });
  ceremony('a page in a frame', { isCrossOrigin: true });
  ceremony('another host', { host: 'evil.localhost' });
  ceremony('nobody proved themselves', { isVerified: false });
  ceremony('a challenge that was never given', { challenge: 'A'.repeat(43) });
  ceremony('the handle of somebody else', { userHandle: Buffer.from('usr_other').toString('base64url') });
  ceremony('a passkey that nobody has', {}, createFakePasskey());
  wrong['another browser'] = async () => {
    const visit = await useKey(fixture, passkey);
    const other = await useKey(fixture, passkey);
    return visit.send({ headers: other.cookie });
  };
  wrong['no page of the platform'] = async () => {
    const visit = await useKey(fixture, passkey);
    return visit.send({ headers: { ...visit.cookie, 'Sec-Fetch-Site': 'same-site' } });
  };
  wrong['no cookie'] = async () => (await useKey(fixture, passkey)).send({ headers: BROWSER });
  wrong['a signature of another passkey'] = async () => {
    const visit = await useKey(fixture, passkey);
    const forged = createFakePasskey().assert({ challenge: visit.options.challenge });
    return visit.send({ json: { ...forged, id: passkey.id, rawId: passkey.id } });
  };
  wrong['what is no client data'] = async () => {
    const visit = await useKey(fixture, passkey);
    return visit.send({ json: { ...visit.json, response: { ...visit.json.response, clientDataJSON: 'bm9uc2Vuc2U' } } });
  };
  wrong['a challenge for adding one'] = async () => {
    const { body } = await ann.own('POST', '/options', {});
    return (await useKey(fixture, passkey, { challenge: body.challenge })).send();
  };
  wrong['a question of five minutes ago'] = async () => {
    const visit = await useKey(fixture, passkey);
    clock.advance(5 * MINUTE_MS);
    return visit.send();
  };
  const refusal = 'The passkey was not accepted. Try again, or sign in another way.';
  for (const [name, attempt] of Object.entries(wrong)) {
    // Tries are bounded.
    clock.advance(MINUTE_MS);
    const { status, body } = await attempt();
    expect([name, status, body.detail]).toEqual([name, 401, refusal]);
  }
  expect(await sessions()).toBe(before);
  const visit = await useKey(fixture, passkey);
  expect((await visit.send()).status).toBe(200);
  clock.advance(MINUTE_MS);
  expect((await visit.send()).status).toBe(401);
  expect(await sessions()).toBe(before + 1);
  // Without the header of a page there is no cookie, and the token is in no answer.
  expect((await call('POST', '/v1/auth/passkey/options')).headers.get('set-cookie')).toBeNull();
});

test('a question that was answered twice at once is answered once', async () => {
  await using fixture = await createAccountFixture();
  const ann = await openAnn(fixture);
  const passkey = createFakePasskey();
  await ann.add(passkey);
  const visit = await useKey(fixture, passkey);
  const answers = await Promise.all([visit.send(), visit.send(), visit.send()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
});

test('a counter that does not go up is that of a copy, and the log says so', async () => {
  await using fixture = await createAccountFixture();
  const { logLines, db } = fixture;
  const ann = await openAnn(fixture);
  const passkey = createFakePasskey();
  await ann.add(passkey, { counter: 5 });
  const use = async (counter: number) => (await (await useKey(fixture, passkey, { counter })).send()).status;
  expect([await use(6), await use(6), await use(4), await use(0), await use(7)]).toEqual([200, 401, 401, 401, 200]);
  expect(await ann.actions()).toEqual([
    'passkey.create',
    ...['passkey.sign_in', 'passkey.refuse', 'passkey.refuse', 'passkey.refuse', 'passkey.sign_in'],
  ]);
  expect(logLines.join('\n')).toContain('may be cloned');
  const { counter } = await db.selectFrom('passkeys').select('counter').executeTakeFirstOrThrow();
  expect(counter).toBe(7);
});

test('tries are bounded', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock } = fixture;
  const passkey = createFakePasskey();
  const visit = await useKey(fixture, passkey);
  for (let i = 0; i < 10; i++) expect((await visit.send()).status).toBe(401);
  const { status, headers } = await visit.send();
  expect([status, headers.get('retry-after')]).toEqual([429, '60']);
  for (let i = 0; i < 119; i++) await call('POST', '/v1/auth/passkey/options');
  expect((await call('POST', '/v1/auth/passkey/options')).status).toBe(429);
  clock.advance(MINUTE_MS);
  expect((await call('POST', '/v1/auth/passkey/options')).status).toBe(200);
});

test('one is added only to what the person has just proven to be theirs', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, db } = fixture;
  const ann = await openAnn(fixture);
  const bob = await openAnn(fixture, BOB);
  const passkey = createFakePasskey();
  const challengeOf = async (person: typeof ann) => (await person.own('POST', '/options', {})).body.challenge as string;
  const challenge = await challengeOf(ann);
  const wrong: Record<string, Partial<CeremonyOptions> & { readonly by?: typeof ann }> = {
    'another origin': { origin: 'https://localhost:8787' },
    'another host': { host: 'example.org' },
    'nobody proved themselves': { isVerified: false },
    'a frame': { isCrossOrigin: true },
    'a challenge that was never given': { challenge: 'B'.repeat(43) },
    "somebody else's challenge": { challenge: await challengeOf(bob) },
    'another session': { by: { ...ann, own: (await openSession(fixture, await ann.signIn())).own } },
  };
  for (const [name, { by = ann, ...options }] of Object.entries(wrong)) {
    const given = name === 'another session' ? challenge : await challengeOf(ann);
    const credential = passkey.register({ challenge: given, ...options });
    const { status, body } = await by.own('POST', '', { credential });
    expect([name, status, body.detail]).toEqual([name, 400, expect.stringContaining('Try again')]);
  }
  const late = await challengeOf(ann);
  clock.advance(5 * MINUTE_MS);
  expect((await ann.own('POST', '', { credential: passkey.register({ challenge: late }) })).status).toBe(400);
  expect(await db.selectFrom('passkeys').select('id').execute()).toEqual([]);

  // A session of a while ago isn't enough.
  clock.advance(11 * MINUTE_MS);
  const ask = (json: unknown) => ann.own('POST', '/options', json);
  expect((await ask({})).status).toBe(403);
  const refused = await ask({ password: 'not the password' });
  expect([refused.status, refused.body.detail[0]]).toMatchObject([422, { loc: ['body', 'password'] }]);
  const { status, body } = await ask({ password: ANN.password });
  expect(status).toBe(200);
  const added = await ann.own('POST', '', { name: 'Key', credential: passkey.register(body) });
  expect([added.status, added.body.name]).toEqual([200, 'Key']);
  for (let i = 0; i < 9; i++) await ask({ password: 'guess' });
  expect((await ask({ password: ANN.password })).status).toBe(429);
  // Neither twice, nor by a key, nor seen or removed by others.
  clock.advance(MINUTE_MS);
  const again = passkey.register((await ask({ password: ANN.password })).body);
  expect((await ann.own('POST', '', { credential: again })).status).toBe(409);
  expect((await call('GET', '/v1/user/passkeys', { key: ann.key })).status).toBe(403);
  expect((await bob.own('GET', '')).body).toEqual([]);
  expect((await bob.own('DELETE', `?id=${added.body.id}`)).status).toBe(404);
  expect((await bob.own('POST', '/rename', { id: added.body.id, name: 'Mine' })).status).toBe(404);
});

test('the only sign-in method stays', async () => {
  await using fixture = await createAccountFixture();
  const { db } = fixture;
  const ann = await openAnn(fixture);
  const [first, second] = [createFakePasskey(), createFakePasskey()];
  const { body: one } = await ann.add(first);
  const { body: two } = await ann.add(second);
  await db.deleteFrom('auth_accounts').execute();
  expect((await ann.own('DELETE', `?id=${one.id}`)).status).toBe(200);
  const last = await ann.own('DELETE', `?id=${two.id}`);
  expect([last.status, last.body.detail]).toEqual([409, expect.stringContaining('only sign-in method')]);
  expect((await (await useKey(fixture, second)).send()).status).toBe(200);
});

test('a person has twenty at most', async () => {
  await using fixture = await createAccountFixture();
  const { db } = fixture;
  const ann = await openAnn(fixture);
  await ann.add(createFakePasskey());
  const row = await db.selectFrom('passkeys').selectAll().executeTakeFirstOrThrow();
  const more = Array.from({ length: 19 }, (_, index) => ({ ...row, id: `pky_${index}`, credential_id: `c${index}` }));
  await db.insertInto('passkeys').values(more).execute();
  expect((await ann.own('POST', '/options', {})).status).toBe(409);
});

test('with TLS no sibling host can set the cookie, and without a name of its own the platform has no passkeys', async () => {
  const baseUrl = 'https://berth.example.com';
  await using fixture = await createAccountFixture({ baseUrl, consoleHosts: ['console.example.com'] });
  const answer = await fixture.call('POST', '/v1/auth/passkey/options', { headers: BROWSER });
  expect(answer.body.rpId).toBe('berth.example.com');
  expect(answer.headers.get('set-cookie')).toMatch(/^__Host-berth_passkey=[^;]+; .*HttpOnly; Secure; SameSite=Strict$/);
  // The console at its other host may ask for the same passkeys.
  const origins = [baseUrl, 'https://console.example.com'];
  expect((await fixture.call('GET', '/.well-known/webauthn')).body).toEqual({ origins });
  const person = await openAnn(fixture);
  const passkey = createFakePasskey();
  const ceremony = { host: 'berth.example.com', origin: 'https://console.example.com' };
  expect((await person.add(passkey, ceremony)).status).toBe(200);
  expect((await (await useKey(fixture, passkey, ceremony)).send()).status).toBe(200);
  const service = { ...ceremony, origin: 'https://app.example.com' };
  expect((await (await useKey(fixture, passkey, service)).send()).status).toBe(401);
  await using plain = await createAccountFixture({ baseUrl: 'http://10.0.0.7:8787' });
  const ann = await openAnn(plain);
  expect((await ann.own('POST', '/options', {})).status).toBe(501);
  const refused = await plain.call('POST', '/v1/auth/passkey/options', { headers: BROWSER });
  expect([refused.status, refused.body.detail]).toEqual([501, expect.stringContaining('https')]);
});

/** The same person elsewhere. */
async function openSession({ call }: AccountFixture, bearer: string) {
  return {
    own: (method: string, path: string, json?: unknown) => call(method, `/v1/user/passkeys${path}`, { bearer, json }),
  };
}
