import { expect, test } from 'vitest';
import { createAccountFixture } from '../testing/account-fixture.ts';

const PLACE = { address: '10.0.0.1', userAgent: undefined };
const person = (name: string) => ({ email: `${name}@example.org`, password: 'a long enough password', name });

// Fails when a server's link invalidates those that the others printed, or when two people come in with two links.
test('each of several servers prints a link, and the first that is used ends all of them', async () => {
  await using fixture = await createAccountFixture();
  const { firstRun } = fixture.services;
  const issue = async () => (await firstRun.issue({ keepsOthers: true })) ?? '';
  const [one, other] = [await issue(), await issue()];
  expect([await firstRun.check(one), await firstRun.check(other)]).toMatchObject([
    { is_valid: true },
    { is_valid: true },
  ]);
  await firstRun.accept({ token: one, ...person('ann') }, PLACE);
  await expect(firstRun.accept({ token: other, ...person('bob') }, PLACE)).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  expect(await fixture.db.selectFrom('auth_users').select('email').execute()).toEqual([{ email: 'ann@example.org' }]);
});

test('a server that is alone prints the only link', async () => {
  await using fixture = await createAccountFixture();
  const { firstRun } = fixture.services;
  const [before, after] = [(await firstRun.issue()) ?? '', (await firstRun.issue()) ?? ''];
  expect([await firstRun.check(before), await firstRun.check(after)]).toMatchObject([
    { is_valid: false },
    { is_valid: true },
  ]);
});
