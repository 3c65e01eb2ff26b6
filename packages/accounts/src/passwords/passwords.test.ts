import { expect, test } from 'vitest';
import { createAccountFixture } from '../testing/account-fixture.ts';
import { createPasswords } from './passwords.ts';

const ANN = { email: 'ann@example.org', password: 'correct horse battery', name: 'Ann' };
const PLACE = { address: '203.0.113.7', userAgent: 'test' };

// Fails when the account is created after the transaction that creates the person.
test('a sign-up that breaks off leaves no person, and can be repeated', async () => {
  await using fixture = await createAccountFixture();
  const { db, clock, ids, services } = fixture;
  const { accounts, sessions, audit } = services;
  const breaking = { createForUser: () => Promise.reject(new Error('the disk is full')) };
  const signUp = (part: typeof breaking | typeof accounts) =>
    createPasswords({ db, clock, ids, sessions, audit, accounts: part }).signUp(ANN, PLACE);
  await expect(signUp(breaking)).rejects.toThrow('the disk is full');
  expect(await db.selectFrom('auth_users').select('id').execute()).toEqual([]);
  expect((await signUp(accounts)).user.email).toBe(ANN.email);
});

// Fails when the audit record is written outside the transaction of the change.
test('a change of password that breaks off changes nothing', async () => {
  await using fixture = await createAccountFixture();
  const { db, clock, ids, services } = fixture;
  const { accounts, sessions } = services;
  const { token } = await services.passwords.signUp(ANN, PLACE);
  const audit = { record: () => Promise.reject(new Error('the disk is full')) };
  const passwords = createPasswords({ db, clock, ids, sessions, accounts, audit });
  const change = { token, currentPassword: ANN.password, newPassword: 'another long password', endOtherSessions: true };
  await expect(passwords.change(change, PLACE, 'req_1')).rejects.toThrow('the disk is full');
  expect(await sessions.find(token)).toBeDefined();
  expect((await services.passwords.signIn(ANN, PLACE)).user.email).toBe(ANN.email);
});
