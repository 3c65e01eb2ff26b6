import type { MailTransport } from '@berth/mail';
import { expect, test } from 'vitest';
import { createAccountFixture } from '../testing/account-fixture.ts';

const ADA = { email: 'ada@example.com', password: 'a long password of Ada', name: 'Ada' };
const REQUEST = '/v1/auth/password-reset/request';

type Sent = Parameters<MailTransport['send']>[0];

/** The API with e-mail, whose mails `take` returns. Ada is a member of the operator's account. */
async function setup() {
  const sent: Sent[] = [];
  const fixture = await createAccountFixture({ mail: (mail) => void sent.push(mail) });
  const { call, clock, operatorKey } = fixture;
  const queued = fixture.db.selectFrom('mail_outbox').select('id').where('state', '=', 'queued');
  /** Sends what is in the outbox, and returns and forgets what was sent. */
  const take = async (): Promise<readonly Sent[]> => {
    do await clock.elapse(1_000);
    while ((await queued.execute()).length > 0);
    return sent.splice(0);
  };
  const invite = (json: object = {}) => call('POST', '/v1/user/invites', { key: operatorKey, json });
  const { body: invited } = await invite();
  const join = await call('POST', '/v1/auth/invites/accept', { json: { token: secretOf(invited.link), ...ADA } });
  const session = join.body.token as string;
  return { ...fixture, fixture, take, invite, session };
}

const secretOf = (text: string) => /#([\w-]{43})/.exec(text)?.[1] ?? '';
const linkIn = (mail: Sent | undefined) => /http\S+/.exec(mail?.text ?? '')?.[0] ?? '';

test('an invitation for an address is mailed there, with a link that joins', async () => {
  const { fixture, call, invite, take } = await setup();
  await using _ = fixture;
  const { body } = await invite({ email: 'Bob@example.com', role: 'admin' });
  expect(body.is_mailed).toBe(true);
  const [mail] = await take();
  expect([mail?.to, mail?.subject, linkIn(mail)]).toEqual([
    'bob@example.com',
    'Invitation to join operator on Berth',
    body.link,
  ]);
  const person = { email: 'bob@example.com', password: 'a long password of Bob', name: 'Bob' };
  const joined = await call('POST', '/v1/auth/invites/accept', { json: { ...person, token: secretOf(linkIn(mail)) } });
  expect(joined.status).toBe(200);
  // Anyone with the link may use the others, so there is no address to send them to.
  expect((await invite()).body.is_mailed).toBe(false);
  expect(await take()).toEqual([]);
});

test('a person is written to in their language', async () => {
  const { fixture, call, invite, take } = await setup();
  await using _ = fixture;
  const headers = { 'Accept-Language': 'ar-EG,en;q=0.5' };
  await call('POST', '/v1/auth/sign-in/email', { json: ADA, headers, address: '192.0.2.1' });
  await take();
  await invite({ email: ADA.email });
  await call('POST', REQUEST, { json: { email: ADA.email }, headers: { 'Accept-Language': 'en' } });
  const mails = await take();
  expect(mails.map(({ html }) => html.includes('dir="rtl"'))).toEqual([true, true]);
});

test('a forgotten password is replaced with the mailed link, once; other sessions and links end', async () => {
  const { fixture, call, take, session, clock } = await setup();
  await using _ = fixture;
  const links: string[] = [];
  for (let i = 0; i < 2; i++) {
    expect((await call('POST', REQUEST, { json: { email: 'ADA@example.com' } })).status).toBe(200);
    links.push(secretOf(linkIn((await take())[0])));
  }
  const [first, second] = links;
  const accept = (token: string | undefined, password: string) =>
    call('POST', '/v1/auth/password-reset', { json: { token, password } });
  // A newer link replaces the older one.
  expect((await accept(first, 'another long password')).status).toBe(404);
  expect((await accept(second, 'another long password')).status).toBe(200);
  expect((await accept(second, 'yet another password')).status).toBe(404);
  expect((await call('GET', '/v1/user', { bearer: session })).status).toBe(401);
  const signIn = (password: string) => call('POST', '/v1/auth/sign-in/email', { json: { email: ADA.email, password } });
  expect([(await signIn(ADA.password)).status, (await signIn('another long password')).status]).toEqual([401, 200]);
  await take();
  await call('POST', REQUEST, { json: { email: ADA.email } });
  const late = secretOf(linkIn((await take())[0]));
  clock.advance(3_600_000);
  expect((await accept(late, 'a password that is late')).status).toBe(404);
});

// Fails when the database holds a token, or a backup of it would let its reader in.
test('neither the token of a link nor the mail is readable in the database', async () => {
  const { fixture, call, take, db } = await setup();
  await using _ = fixture;
  await call('POST', REQUEST, { json: { email: ADA.email } });
  const token = secretOf(linkIn((await take())[0]));
  const tables = await Promise.all([
    db.selectFrom('auth_verifications').selectAll().execute(),
    db.selectFrom('mail_outbox').selectAll().execute(),
  ]);
  expect([token.length, JSON.stringify(tables).includes(token)]).toEqual([43, false]);
});

// Fails when the answer, its queries or its limit tell whether a person has an address.
test('asking for a reset is the same for an address that nobody has, and for a person without a password', async () => {
  const { fixture, call, take, db, logLines } = await setup();
  await using _ = fixture;
  await db.deleteFrom('auth_accounts').execute();
  const queries: number[] = [];
  for (const email of [ADA.email, 'nobody@example.com']) {
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await call('POST', REQUEST, { json: { email }, address: `192.0.2.${i}` }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers[0]?.body).toEqual({ detail: expect.not.stringContaining(email) });
    queries.push((await db.selectFrom('mail_outbox').selectAll().execute()).length);
  }
  // One row each, written before anyone looked for the person.
  expect(queries).toEqual([5, 10]);
  expect(await take()).toEqual([]);
  expect(await db.selectFrom('mail_outbox').selectAll().execute()).toEqual([]);
  expect(logLines.join()).not.toContain('nobody@example.com');
});

// Fails when a link is built from a header of the request: its secret would go to whoever sent the request.
test('links open the platform’s own address, whatever the request calls it', async () => {
  const { fixture, call, take } = await setup();
  await using _ = fixture;
  const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' };
  await call('POST', REQUEST, { json: { email: ADA.email }, headers });
  const [mail] = await take();
  expect(linkIn(mail)).toMatch(/^http:\/\/localhost:8787\/reset-password#/);
  expect(JSON.stringify(mail)).not.toContain('evil.example');
});

test.each(['ada@example.com\r\nBcc: eve@example.com', 'ada@example.com,eve@example.com', 'Ada <ada@example.com>'])(
  'no mail can be caused to %j',
  async (email) => {
    const { fixture, call, invite, session, take } = await setup();
    await using _ = fixture;
    const answers = [
      await invite({ email }),
      await call('POST', REQUEST, { json: { email } }),
      await call('POST', '/v1/user/email', { bearer: session, json: { email } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect(await take()).toEqual([]);
  },
);

test('mails of an account are limited', async () => {
  const { fixture, invite, take } = await setup();
  await using _ = fixture;
  const statuses = new Map<number, number>();
  for (let i = 0; i < 55; i++) {
    const { status } = await invite({ email: `person-${i}@example.com` });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses]).toEqual([
    [200, 50],
    [429, 5],
  ]);
  expect((await take()).length).toBeGreaterThan(0);
});

test('an address changes when the link sent to it is used, and the former one gets a notice', async () => {
  const { fixture, call, take, session, db } = await setup();
  await using _ = fixture;
  const change = (email: string, bearer = session) => call('POST', '/v1/user/email', { bearer, json: { email } });
  expect((await change('Ada@new.example')).status).toBe(200);
  const [mail] = await take();
  expect(mail?.to).toBe('ada@new.example');
  const confirm = (token: string) => call('POST', '/v1/auth/email/confirm', { json: { token } });
  const users = db.selectFrom('auth_users').select(['email', 'email_verified']).where('name', '=', 'Ada');
  expect(await users.execute()).toEqual([{ email: ADA.email, email_verified: 0 }]);
  expect((await confirm(secretOf(linkIn(mail)))).body).toEqual({ email: 'ada@new.example' });
  expect(await users.execute()).toEqual([{ email: 'ada@new.example', email_verified: 1 }]);
  expect((await confirm(secretOf(linkIn(mail)))).status).toBe(404);
  const [notice] = await take();
  expect([notice?.to, notice?.text.includes('ada@new.example')]).toEqual([ADA.email, true]);
  expect((await call('GET', '/v1/user', { bearer: session })).body.user.email).toBe('ada@new.example');
});

test('a taken address is answered alike and changes nothing; an old session may not ask', async () => {
  const { fixture, call, take, session, invite, clock } = await setup();
  await using _ = fixture;
  const { link } = (await invite()).body;
  const person = { email: 'bob@example.com', password: 'a long password of Bob', name: 'Bob' };
  await call('POST', '/v1/auth/invites/accept', { json: { ...person, token: secretOf(link) } });
  const change = (email: string) => call('POST', '/v1/user/email', { bearer: session, json: { email } });
  expect((await change('bob@example.com')).body).toEqual((await change('free@example.com')).body);
  expect((await take()).map(({ to }) => to)).toEqual(['free@example.com']);
  clock.advance(16 * 60_000);
  expect((await change('other@example.com')).status).toBe(403);
});

// Fails when a change that a thief of the session began outlives the new password.
test('a new password ends a change of address that has not been confirmed', async () => {
  const { fixture, call, take, session } = await setup();
  await using _ = fixture;
  await call('POST', '/v1/user/email', { bearer: session, json: { email: 'eve@example.com' } });
  const token = secretOf(linkIn((await take())[0]));
  const json = { current_password: ADA.password, new_password: 'a password that is new' };
  expect((await call('POST', '/v1/auth/change-password', { bearer: session, json })).status).toBe(200);
  expect((await call('POST', '/v1/auth/email/confirm', { json: { token } })).status).toBe(404);
});

const FIREFOX = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

test('a sign-in from a new device or network is told, a known one is not', async () => {
  const { fixture, call, take } = await setup();
  await using _ = fixture;
  const signIn = (address: string, headers: Record<string, string> = FIREFOX) =>
    call('POST', '/v1/auth/sign-in/email', { json: ADA, address, headers });
  await signIn('192.0.2.7');
  const [mail] = await take();
  expect([mail?.to, mail?.text]).toEqual([ADA.email, expect.stringContaining('Device: Firefox on Linux')]);
  expect(mail?.text).toContain('192.0.2.7');
  await signIn('192.0.2.7');
  expect(await take()).toEqual([]);
  await signIn('198.51.100.1');
  expect(await take()).toHaveLength(1);
  await signIn('198.51.100.1', { 'User-Agent': 'curl/8' });
  expect(await take()).toHaveLength(1);
});

test('without SMTP settings nothing is offered, stored or sent', async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey, db } = fixture;
  expect((await call('POST', REQUEST, { json: { email: ADA.email } })).status).toBe(501);
  const { body } = await call('POST', '/v1/user/invites', { key: operatorKey, json: { email: ADA.email } });
  expect(body.is_mailed).toBe(false);
  expect((await call('GET', '/v1/auth/providers')).body[0]).toEqual({
    kind: 'password',
    id: 'password',
    name: 'Password',
  });
  const report = await call('GET', '/v1/admin/mail', { key: operatorKey });
  expect(report.body).toEqual({ is_configured: false, counts: { queued: 0, sent: 0, dead: 0 }, mails: [] });
  expect(await db.selectFrom('mail_outbox').selectAll().execute()).toEqual([]);
});

test('the operator sees what became of mails, without their text, and can send a test', async () => {
  const { fixture, call, invite, take, operatorKey, other } = await setup();
  await using _ = fixture;
  await invite({ email: 'bob@example.com' });
  await take();
  const { body } = await call('GET', '/v1/admin/mail', { key: operatorKey });
  expect(body.mails).toMatchObject([{ kind: 'invite', to: 'bob@example.com', state: 'sent', attempts: 1 }]);
  expect(JSON.stringify(body)).not.toContain('#');
  const test = await call('POST', '/v1/admin/mail/test', { key: operatorKey, json: { email: 'me@example.com' } });
  expect([test.status, (await take()).map(({ to }) => to)]).toEqual([200, ['me@example.com']]);
  expect((await call('GET', '/v1/admin/mail', { key: other.key.secret })).status).toBe(403);
  expect((await call('GET', '/v1/auth/providers')).body[0].sends_email).toBe(true);
});
