import { createError } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { setupView } from '../render-view.test-support.ts';
import { QUERY_KEYS } from './query-keys.ts';
import { useRights, useUser } from './use-rights.ts';

const USER = 'GET /v1/user';
const person = (role: string, scopes: readonly string[]) => ({ role, scopes, account: { id: 'acc_1', name: 'Acme' } });
const rightsOf = (user: unknown) =>
  setupView(user === undefined ? {} : { cached: [[QUERY_KEYS.user, user]] }).call(useRights);

describe('rights', () => {
  // Fails when `can` answers false while the person is unknown: buttons would appear late.
  test('are assumed until they are known', () => {
    const { can, manages } = rightsOf(undefined);
    expect([can('admin'), can('deploy'), manages('owner')]).toEqual([true, true, true]);
  });

  // Fails when the scopes of the answer aren't looked at.
  test('are the scopes of the person', () => {
    const { can } = rightsOf(person('member', ['read', 'deploy']));
    expect([can('read'), can('deploy'), can('volumes'), can('admin')]).toEqual([true, true, false, false]);
  });

  // Fails when `manages` ignores the scope `admin`, or the roles that a role manages.
  test.each<[string, readonly string[], string[]]>([
    ['owner', ['admin'], ['owner', 'admin', 'member']],
    ['admin', ['admin'], ['admin', 'member']],
    ['member', ['read', 'deploy'], []],
    ['owner', ['read'], []],
  ])('of an %s with %j include managing %j', (role, scopes, managed) => {
    const { manages } = rightsOf(person(role, scopes));
    expect((['owner', 'admin', 'member'] as const).filter(manages)).toEqual(managed);
  });
});

describe('the person', () => {
  // Fails when the choice isn't dropped, or the second answer isn't used.
  test('who was removed from the account they chose continues in their first one', async () => {
    let asked = 0;
    const { call, read, api, queries } = setupView({
      answers: {
        [USER]: () => {
          if (++asked === 1) throw createError('forbidden', 'You are no member.');
          return person('member', []);
        },
      },
      cached: [[QUERY_KEYS.deployments, []]],
    });
    api.accountChoice.choose('acc_lost');
    call(useUser);
    expect(await read(QUERY_KEYS.user)).toMatchObject({ role: 'member' });
    expect([asked, api.accountChoice.id]).toEqual([2, undefined]);
    expect(queries.getQueryState(QUERY_KEYS.deployments)?.isInvalidated).toBe(true);
  });

  // Fails when every failure drops the choice.
  test.each(['unavailable', 'internal'] as const)('keeps their account after %s', async (code) => {
    const { call, read, api } = setupView({
      answers: {
        [USER]: () => {
          throw createError(code, 'Not now.');
        },
      },
    });
    api.accountChoice.choose('acc_1');
    call(useUser);
    await expect(read(QUERY_KEYS.user)).rejects.toMatchObject({ code });
    expect(api.accountChoice.id).toBe('acc_1');
  });

  // Fails when a person without any account is asked for twice.
  test('without any account is refused once', async () => {
    let asked = 0;
    const { call, read } = setupView({
      answers: {
        [USER]: () => {
          asked++;
          throw createError('forbidden', 'No account.');
        },
      },
    });
    call(useUser);
    await expect(read(QUERY_KEYS.user)).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked).toBe(1);
  });
});
