import { expect, test } from 'vitest';
import { type AccountFixture, createAccountFixture } from '../testing/account-fixture.ts';
import { createUserCode, normalizeUserCode } from './device-grants.ts';

const ANN = { email: 'ann@example.org', password: 'correct horse battery' };

async function signedIn({ call, operatorKey: key }: AccountFixture): Promise<string> {
  await call('POST', '/v1/admin/accounts', { key, json: { name: 'acme', user: ANN } });
  return (await call('POST', '/v1/auth/sign-in/email', { json: ANN })).body.token as string;
}

function device({ call }: AccountFixture) {
  return {
    begin: async () => (await call('POST', '/v1/auth/device/code', { json: { device_name: 'laptop' } })).body,
    poll: (device_code: string) => call('POST', '/v1/auth/device/token', { json: { device_code } }),
    decide: (bearer: string, user_code: string, approve = true) =>
      call('POST', '/v1/user/device', { bearer, json: { user_code, approve } }),
  };
}

test('a device waits, a person lets it in, and it has a session of theirs, once', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock } = fixture;
  const ann = await signedIn(fixture);
  const { begin, poll, decide } = device(fixture);
  const begun = await begin();
  expect(begun).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
    verification_uri: 'http://localhost:8787/device',
    verification_uri_complete: `http://localhost:8787/device?code=${begun.user_code}`,
    expires_in: 600,
    interval: 5,
  });
  const early = await poll(begun.device_code);
  expect([early.status, early.body.error, early.body.detail]).toEqual([
    400,
    'authorization_pending',
    early.body.error_description,
  ]);
  const typed = begun.user_code.toLowerCase().replace('-', ' ');
  const shown = await call('GET', `/v1/user/device?user_code=${encodeURIComponent(typed)}`, { bearer: ann });
  expect(shown.body).toMatchObject({ device_name: 'laptop', user_agent: null });
  expect((await decide(ann, typed)).status).toBe(200);
  // Decided is decided.
  expect((await decide(ann, typed, false)).status).toBe(404);
  clock.advance(5_000);
  const { status, body } = await poll(begun.device_code);
  expect([status, body.user.email]).toEqual([200, ANN.email]);
  const who = await call('GET', '/v1/user', { bearer: body.token });
  expect(who.body).toMatchObject({ account: { name: 'acme' }, user: { email: ANN.email } });
  expect((await call('GET', '/v1/user/sessions', { bearer: ann })).body).toHaveLength(2);
  expect((await poll(begun.device_code)).body.error).toBe('expired_token');
  const audit = await call('GET', '/v1/user/audit', { bearer: ann });
  expect(audit.body.entries[0]).toMatchObject({ action: 'device.approve', target: 'laptop' });
  expect((await call('POST', '/v1/auth/sign-out', { bearer: body.token })).status).toBe(200);
  expect((await call('GET', '/v1/user', { bearer: body.token })).status).toBe(401);
});

test('a device that asks too fast is slowed down, one that is refused or late is told so', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, db } = fixture;
  const ann = await signedIn(fixture);
  const { begin, poll, decide } = device(fixture);
  const errorOf = async (code: string) => (await poll(code)).body.error;
  const [fast, refused, late] = [await begin(), await begin(), await begin()];
  expect(await errorOf(fast.device_code)).toBe('authorization_pending');
  clock.advance(3_000);
  expect(await errorOf(fast.device_code)).toBe('slow_down');
  clock.advance(5_000);
  expect(await errorOf(fast.device_code)).toBe('slow_down');
  clock.advance(15_000);
  expect(await errorOf(fast.device_code)).toBe('authorization_pending');

  expect((await decide(ann, refused.user_code, false)).status).toBe(200);
  expect(await errorOf(refused.device_code)).toBe('access_denied');
  expect(await errorOf(refused.device_code)).toBe('expired_token');
  expect(await errorOf('unknown')).toBe('expired_token');

  clock.advance(600_000);
  expect(await errorOf(late.device_code)).toBe('expired_token');
  expect((await decide(ann, late.user_code)).status).toBe(404);
  expect((await call('GET', `/v1/user/device?user_code=${late.user_code}`, { bearer: ann })).status).toBe(404);
  await begin();
  expect(await db.selectFrom('device_grants').select('hash').execute()).toHaveLength(1);
});

test('codes cannot be guessed, nor begun without end, and no key decides', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, db, operatorKey: key } = fixture;
  const ann = await signedIn(fixture);
  const { begin, decide } = device(fixture);
  const begun = await begin();
  const json = { user_code: begun.user_code, approve: true };
  expect((await call('POST', '/v1/user/device', { key, json })).status).toBe(403);
  expect((await call('POST', '/v1/user/device', { json })).status).toBe(401);
  for (let i = 0; i < 10; i++) expect((await decide(ann, createUserCode())).status).toBe(404);
  const guess = await decide(ann, begun.user_code);
  expect([guess.status, guess.headers.get('retry-after')]).toEqual([429, '60']);
  for (let i = 0; i < 9; i++) await begin();
  expect((await call('POST', '/v1/auth/device/code', { json: { device_name: 'x' } })).status).toBe(429);
  clock.advance(60_000);
  expect((await decide(ann, begun.user_code)).status).toBe(200);
  const stored = JSON.stringify(await db.selectFrom('device_grants').selectAll().execute());
  expect([stored.includes(begun.device_code), stored.includes(begun.user_code)]).toEqual([false, false]);
});

// Fails when only sessions are ended: whoever let a device in with a stolen session would get a new one from it afterwards.
test('a device that was let in gets nothing once the person ended their sessions or changed the password', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock } = fixture;
  const ann = await signedIn(fixture);
  const { begin, poll, decide } = device(fixture);
  const letIn = async () => {
    const { device_code, user_code } = await begin();
    expect((await decide(ann, user_code)).status).toBe(200);
    clock.advance(5_000);
    return device_code as string;
  };
  const before = await letIn();
  const waiting = await begin();
  expect((await call('POST', '/v1/user/sessions/end-others', { bearer: ann })).body.detail).toBe(
    '0 sessions signed out.',
  );
  expect((await poll(before)).body.error).toBe('expired_token');
  // A device that no one has let in yet is no one's.
  expect((await poll(waiting.device_code)).body.error).toBe('authorization_pending');

  const change = (end_other_sessions: boolean, current_password: string, new_password: string) =>
    call('POST', '/v1/auth/change-password', {
      bearer: ann,
      json: { current_password, new_password, end_other_sessions },
    });
  const kept = await letIn();
  expect((await change(false, ANN.password, 'another horse battery')).status).toBe(200);
  expect((await poll(kept)).status).toBe(200);
  const ended = await letIn();
  expect((await change(true, 'another horse battery', 'a third horse battery')).status).toBe(200);
  expect((await poll(ended)).body.error).toBe('expired_token');
});

test('a code is the same in any case and with any separator', () => {
  const code = createUserCode();
  for (const typed of [code, code.toLowerCase(), code.replace('-', ''), ` ${code.replace('-', ' - ')} `]) {
    expect(normalizeUserCode(typed)).toBe(code);
  }
});
