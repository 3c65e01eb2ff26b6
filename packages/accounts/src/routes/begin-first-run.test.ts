import { describe, expect, test } from 'vitest';
import { createAccountFixture } from '../testing/account-fixture.ts';

const PATH = '/v1/auth/first-run';
const ANN = { email: 'Ann@Example.org', password: 'correct horse battery', name: 'Ann' };

describe('the first person', () => {
  test("is an owner of the operator's account, and signed in", async () => {
    await using fixture = await createAccountFixture();
    const {
      call,
      services: { firstRun },
    } = fixture;
    const token = await firstRun.issue();
    const { status, body } = await call('POST', PATH, { json: { ...ANN, token } });
    expect([status, body.user.email]).toEqual([200, 'ann@example.org']);
    const who = await call('GET', '/v1/user', { bearer: body.token });
    expect(who.body).toMatchObject({ account: { name: 'operator' }, user: { name: 'Ann' } });
    expect((await call('POST', '/v1/auth/sign-in/email', { json: ANN })).status).toBe(200);
    const { body: log } = await call('GET', '/v1/user/audit', { bearer: body.token });
    expect(log.entries.map(({ action }: { action: string }) => action)).toContain('account.first_run');
  });

  test('is made once: the link is used up, and there is no other', async () => {
    await using fixture = await createAccountFixture();
    const {
      call,
      services: { firstRun },
      db,
    } = fixture;
    const token = await firstRun.issue();
    const answers = await Promise.all(
      ['a@x.org', 'b@x.org', 'c@x.org'].map((email) => call('POST', PATH, { json: { ...ANN, email, token } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(await db.selectFrom('auth_users').select('id').execute()).toHaveLength(1);
    const { body } = await call('POST', `${PATH}/check`, { json: { token } });
    expect(body).toEqual({ is_needed: false, is_valid: false });
    expect(await firstRun.issue()).toBeUndefined();
  });

  test('needs the newest link, for a day, and what was refused made nobody', async () => {
    await using fixture = await createAccountFixture();
    const {
      call,
      services: { firstRun },
      clock,
      db,
    } = fixture;
    const replaced = await firstRun.issue();
    const token = await firstRun.issue();
    const check = async (json: object) => (await call('POST', `${PATH}/check`, { json })).body;
    expect(await check({ token })).toEqual({ is_needed: true, is_valid: true });
    expect(await check({ token: replaced })).toEqual({ is_needed: true, is_valid: false });
    expect(await check({})).toEqual({ is_needed: true, is_valid: false });
    clock.advance(24 * 60 * 60 * 1_000);
    for (const wrong of [replaced, token, 'guess']) {
      const { status, body } = await call('POST', PATH, { json: { ...ANN, token: wrong } });
      expect([status, body.detail]).toEqual([401, expect.stringContaining('Restart Berth')]);
    }
    expect(await db.selectFrom('auth_users').select('id').execute()).toEqual([]);
  });

  test('with an address that is taken keeps the link good', async () => {
    await using fixture = await createAccountFixture();
    const {
      call,
      services: { firstRun },
      operatorKey: key,
    } = fixture;
    await call('POST', '/v1/admin/accounts', { key, json: { name: 'acme', user: ANN } });
    const token = await firstRun.issue();
    expect((await call('POST', PATH, { json: { ...ANN, token } })).status).toBe(409);
    expect((await call('POST', PATH, { json: { ...ANN, email: 'bo@x.org', token } })).status).toBe(200);
  });

  test('is not kept as it was sent', async () => {
    await using fixture = await createAccountFixture();
    const {
      services: { firstRun },
      db,
    } = fixture;
    const token = (await firstRun.issue()) as string;
    const rows = await db.selectFrom('auth_verifications').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(token).toMatch(/^[\w-]{43}$/);
  });
});
