import { createHash } from 'node:crypto';
import type { AccountId } from '@berth/kit';
import { expect, onTestFinished, test } from 'vitest';
import { createAccountFixture } from '../testing/account-fixture.ts';
import type { IdentityClient } from './identity-clients.ts';
import { createIdentityGrants } from './identity-grants.ts';
import { createIdentitySessions } from './identity-sessions.ts';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const REDIRECT = 'https://shop.example.com/cb';
const DAY_MS = 24 * 3_600_000;

function clientOf(id: string, accountId: string | undefined): IdentityClient {
  return { id, title: id, accountId: accountId as AccountId | undefined, redirectTo: () => undefined };
}
const SHOP = clientOf('shop', 'acc_owner');

async function open() {
  const fixture = await createAccountFixture();
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  const { db, clock, logger, services, other } = fixture;
  const sessions = createIdentitySessions({ db, clock, logger });
  const grants = createIdentityGrants({ db, clock });
  const principal = await services.authenticate(new Headers({ 'x-api-key': other.key.secret }));
  const session = await sessions.find(await sessions.create(principal, { kind: 'key' }));
  if (!session) throw new Error('the session has ended');
  const proof = { client: SHOP, redirectUri: REDIRECT, verifier: VERIFIER };
  const createCode = (changes: { readonly client?: IdentityClient; readonly nonce?: string } = {}) =>
    grants.createCode({
      ...{ session, client: SHOP, redirectUri: REDIRECT, scope: 'openid offline_access', nonce: null },
      ...{ codeChallenge: CHALLENGE, ...changes },
    });
  /** Signs in, and returns the first refresh token. */
  const signIn = async () => {
    const grant = await grants.takeCode(await createCode(), proof);
    const token = grant && (await grants.createRefreshToken(grant, SHOP, session));
    if (!grant || token === undefined) throw new Error('there is no refresh token');
    return { grant, token };
  };
  /** Uses up a refresh token, and returns the next one. */
  const refresh = async (token: string) => {
    const grant = await grants.takeRefreshToken(token, SHOP);
    return grant && (await grants.createRefreshToken(grant, SHOP, session));
  };
  const countTokens = async () => (await db.selectFrom('identity_refresh_tokens').selectAll().execute()).length;
  return { ...fixture, sessions, grants, session, proof, createCode, signIn, refresh, countTokens };
}

// Fails when the grant loses the nonce or the scope of its request; and when a code lives a millisecond longer.
test('a code gives what was asked for with it, until its last millisecond', async () => {
  const { grants, clock, createCode, proof, session } = await open();
  const [code, late] = [await createCode({ nonce: 'n' }), await createCode()];
  clock.advance(59_999);
  const grant = await grants.takeCode(code, proof);
  expect(grant).toMatchObject({ sessionHash: session.hash, scope: 'openid offline_access', nonce: 'n' });
  clock.advance(1);
  expect(await grants.takeCode(late, proof)).toBeUndefined();
});

// Fails when the challenge is compared as text: whoever reads the authorization request knows it.
test.each([CHALLENGE, '', VERIFIER.slice(1), `${VERIFIER}v`])('the verifier %s opens nothing', async (verifier) => {
  const { grants, createCode, proof } = await open();
  expect(await grants.takeCode(await createCode(), { ...proof, verifier })).toBeUndefined();
});

// Fails when the owner is left out of the comparison: whoever takes a deployment's name would get its visitors' sign-ins.
test('a code is for the deployment and its owner, and one for a program is for programs alone', async () => {
  const { grants, createCode, proof } = await open();
  const program = clientOf('http://localhost', undefined);
  for (const client of [clientOf('shop', 'acc_rival'), clientOf('blog', 'acc_owner'), program]) {
    expect(await grants.takeCode(await createCode(), { ...proof, client })).toBeUndefined();
  }
  const code = await createCode({ client: program });
  expect(await grants.takeCode(code, { ...proof, client: program })).toBeDefined();
});

// Fails when a code is read first and marked later: both callers would get tokens.
test('a code that comes twice at once gives one grant', async () => {
  const { grants, createCode, proof } = await open();
  const code = await createCode();
  const taken = await Promise.all([1, 2, 3].map(() => grants.takeCode(code, proof)));
  expect(taken.filter((grant) => grant !== undefined)).toHaveLength(1);
});

// Fails when a revocation only deletes the tokens that are there: one that is issued a moment later would live on, for a day.
test('what was revoked while a token was being issued gets none', async () => {
  const { grants, createCode, proof, signIn, session, countTokens } = await open();
  // A stolen code: it comes a second time before the first answer has its refresh token.
  const code = await createCode();
  const first = await grants.takeCode(code, proof);
  expect(await grants.takeCode(code, proof)).toBeUndefined();
  expect(first && (await grants.createRefreshToken(first, SHOP, session))).toBeUndefined();

  // A page that signs out while another tab renews its tokens.
  const { token } = await signIn();
  const renewal = await grants.takeRefreshToken(token, SHOP);
  await grants.revoke(token);
  expect(renewal && (await grants.createRefreshToken(renewal, SHOP, session))).toBeUndefined();
  expect(await countTokens()).toBe(0);
});

// Fails when the tolerance is one-sided, longer, or missing: two tabs at once would sign a person out, or a thief has longer.
test('a refresh token used again within ten seconds is a second tab, later it is a theft that ends the sign-in', async () => {
  const { clock, signIn, refresh, countTokens } = await open();
  const { token } = await signIn();
  const second = await refresh(token);
  clock.advance(10_000);
  const third = await refresh(token);
  expect([second, third].map((one) => typeof one)).toEqual(['string', 'string']);
  clock.advance(1);
  expect(await refresh(token)).toBeUndefined();
  expect(await countTokens()).toBe(0);
  expect(await refresh(third ?? '')).toBeUndefined();
});

// Fails when the family is that of the session: a theft at one agent would sign the person out of all others.
test('a theft ends the sign-in it came from, and no other', async () => {
  const { clock, signIn, refresh } = await open();
  const [stolen, whole] = [await signIn(), await signIn()];
  await refresh(stolen.token);
  clock.advance(11_000);
  expect(await refresh(stolen.token)).toBeUndefined();
  expect(await refresh(whole.token)).toBeTypeOf('string');
});

// Fails when the client is not compared: an agent could renew what another one was given, and would get its person's claims.
test('a refresh token that another client sends ends the sign-in', async () => {
  const { grants, signIn, countTokens } = await open();
  for (const client of [clientOf('blog', 'acc_owner'), clientOf('shop', 'acc_rival'), clientOf('shop', undefined)]) {
    const { token } = await signIn();
    expect(await grants.takeRefreshToken(token, client)).toBeUndefined();
    expect(await countTokens()).toBe(0);
  }
});

// Fails when renewing extends the sign-in: a person signs in once a day.
test('refresh tokens end with the session that they came from, however often they are renewed', async () => {
  const { clock, signIn, refresh } = await open();
  let { token } = await signIn();
  for (let round = 0; round < 4; round++) {
    clock.advance(DAY_MS / 4 - 1);
    token = (await refresh(token)) ?? '';
    expect(token).not.toBe('');
  }
  clock.advance(4);
  expect(await refresh(token)).toBeUndefined();
});

// Fails when ending a session leaves its codes or tokens.
test('signing out ends codes and tokens, and revoking an unknown token ends nothing', async () => {
  const { grants, sessions, session, createCode, proof, signIn, refresh, countTokens } = await open();
  const { token } = await signIn();
  await grants.revoke('unknown');
  const next = await refresh(token);
  const code = await createCode();
  await sessions.end(session);
  expect(await countTokens()).toBe(0);
  expect([await grants.takeCode(code, proof), await refresh(next ?? '')]).toEqual([undefined, undefined]);
});

// Fails when a code or token is stored as it is: a copy of the database would sign in everywhere.
test('the database has hashes only', async () => {
  const { db, createCode, signIn } = await open();
  const secrets = [await createCode(), (await signIn()).token];
  const rows = JSON.stringify([
    await db.selectFrom('identity_codes').selectAll().execute(),
    await db.selectFrom('identity_refresh_tokens').selectAll().execute(),
  ]);
  for (const secret of secrets) expect(rows).not.toContain(secret);
});
