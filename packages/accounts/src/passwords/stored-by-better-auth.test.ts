import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from '../secrets/password-hash.ts';
import { createAccountFixture } from '../testing/account-fixture.ts';

// Rows that Berth wrote with better-auth 1.7.5 until version 0.1.0, and the secrets that they were made of.
const CREATED_MS = 1_795_393_612_120;
const ANN = { email: 'Ann@Example.org', password: 'correct horse battery' };
const ANN_TOKEN = 'qXkya8hpD3B90mAhWw3N0VwQmSpkvnAy';
const ANN_USER = { id: 'usr_01m82wrt6j04bm12zrbzbvnfk7', name: 'Ann', email: 'ann@example.org' };
const ANN_HASH =
  '79528d17c2759e8a21208cd8dc776681:01962edb5530e07bb1854cc75978e53ecd28f7a7cb80f4fdbfcf6646188d9c85d399476efd1de090cb61c93d02578b92462d9caa28b62f8b7e268e4eec0907a4';
// Typed with a combining diaeresis and a ligature.
const BOB_PASSWORD = 'pa\u0308\uFB01word of bob \u2460';
const BOB_HASH =
  'b9b03d6e7a962694ec9c2376be9d5fc6:96919cab0bef0278e10850ca09802586e81f9e259554116f8d0bb50f06eeeb9c6743fdb0d7723c65b69442c811c90e146b43f80920897148c33767a0fab85ac3';

// Fails when a parameter of scrypt changes, or the salt is taken as bytes.
test('a stored hash takes its password and no other', async () => {
  expect(await verifyPassword(ANN_HASH, ANN.password)).toBe(true);
  expect(await verifyPassword(ANN_HASH, `${ANN.password} `)).toBe(false);
  expect(await verifyPassword(BOB_HASH, ANN.password)).toBe(false);
});

// Fails when the password is not normalized to NFKC.
test('a password is the same on keyboards that compose letters in other ways', async () => {
  expect(await verifyPassword(BOB_HASH, BOB_PASSWORD)).toBe(true);
  expect(await verifyPassword(BOB_HASH, 'p\u00e4fiword of bob 1')).toBe(true);
});

// Fails when `timingSafeEqual` is reached with buffers of two lengths.
test.each([undefined, null, '', 'x', ':', `${ANN_HASH}00`, ANN_HASH.slice(0, -2), `${ANN_HASH.slice(0, -2)}zz`])(
  'no password fits the hash %j',
  async (hash) => {
    expect(await verifyPassword(hash, ANN.password)).toBe(false);
  },
);

test('a new hash has the stored form, and a salt of its own', async () => {
  const [first, second] = await Promise.all([hashPassword(ANN.password), hashPassword(ANN.password)]);
  expect(first).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  expect(first).not.toBe(second);
  expect(await verifyPassword(first, ANN.password)).toBe(true);
});

// Fails when tokens are hashed in another way, or the credential is looked for under another provider or address.
test('a person and a session of an older version sign in and go on', async () => {
  await using fixture = await createAccountFixture({ hasSlowPasswords: true });
  const { call, clock, db, other } = fixture;
  clock.jump(CREATED_MS + 1_000 - clock.nowMs());
  const times = { created_at: CREATED_MS, updated_at: CREATED_MS };
  await db
    .insertInto('auth_users')
    .values({ ...ANN_USER, email_verified: 0, image: null, ...times })
    .execute();
  await db
    .insertInto('auth_accounts')
    .values({
      id: 'cre_01m82wrt6nz3evp8ytg2xdq1wb',
      user_id: ANN_USER.id,
      account_id: ANN_USER.id,
      provider_id: 'credential',
      access_token: null,
      refresh_token: null,
      id_token: null,
      access_token_expires_at: null,
      refresh_token_expires_at: null,
      scope: null,
      password: ANN_HASH,
      ...times,
    })
    .execute();
  await db
    .insertInto('auth_sessions')
    .values({
      id: 'ses_01m82wrtar1wkb5yas9yq4xs8q',
      user_id: ANN_USER.id,
      token: '4575a93ae0bf2b37ed6e7fe8df3ed70892b4805f9a81d96e7048eb931ba420b5',
      expires_at: CREATED_MS + 24 * 3_600_000,
      ip_address: '2001:0db8:0001:0002:0000:0000:0000:0000',
      user_agent: 'curl/8.5.0',
      ...times,
      last_used_at: null,
    })
    .execute();
  const member = { account_id: other.account.id, user_id: ANN_USER.id, role: 'owner', created_at: CREATED_MS } as const;
  await db.insertInto('account_members').values(member).execute();

  const who = await call('GET', '/v1/user', { bearer: ANN_TOKEN });
  expect([who.status, who.body.user]).toEqual([200, ANN_USER]);
  const session = await call('GET', '/v1/auth/get-session', { bearer: ANN_TOKEN });
  expect(session.body).toEqual({ expires_at: new Date(CREATED_MS + 24 * 3_600_000).toISOString(), user: ANN_USER });
  // The network of the session is known, so strangers don't use up its attempts.
  const guess = (address: string) =>
    call('POST', '/v1/auth/sign-in/email', { json: { ...ANN, password: 'not the password' }, address });
  for (let i = 0; i < 21; i++) await guess(`203.0.113.${i}`);
  expect((await guess('203.0.113.100')).status).toBe(429);
  const signedIn = await call('POST', '/v1/auth/sign-in/email', { json: ANN, address: '2001:db8:1:2::7' });
  expect([signedIn.status, signedIn.body.user]).toEqual([200, ANN_USER]);
  expect((await call('POST', '/v1/auth/sign-out', { bearer: ANN_TOKEN })).status).toBe(200);
  expect((await call('GET', '/v1/user', { bearer: ANN_TOKEN })).status).toBe(401);
  expect((await call('GET', '/v1/user', { bearer: signedIn.body.token })).status).toBe(200);
});
