// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAccountChoice } from '../../api/account-choice.ts';
import type { SessionState, SessionStore } from '../../api/create-session.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { createMemoryStorage } from '../../render-view.test-support.ts';
import { openView } from '../../testing/open-view.ts';
import { JoinPage } from './join-page.tsx';

const SHOW = 'POST /v1/auth/invites/show';
const SIGN_UP = 'POST /v1/auth/invites/accept';
const JOIN = 'POST /v1/user/invites/accept';
const WITH_PROVIDER = 'POST /v1/auth/oidc/join';
const invite = { account: { id: 'acc_2', name: 'Acme' }, role: 'member', email: null };

const SUBMIT = /^(Create account and join|Join)$/;

interface Setup {
  readonly state?: SessionState;
  readonly ways?: readonly object[];
  readonly answers?: Readonly<Record<string, () => unknown>>;
}

async function open(setup: Setup = {}) {
  const { state = 'signed-out', ways = [], answers = {} } = setup;
  const accountChoice = createAccountChoice(createMemoryStorage());
  const checked: unknown[] = [];
  const check = async () => void checked.push(accountChoice.id);
  const session = { state, subscribe: () => () => {}, check } as unknown as SessionStore;
  const page = await openView(createElement(JoinPage), {
    api: { session, accountChoice, linkSecret: 's3cret' },
    cached: [[QUERY_KEYS.signInWays, ways]],
    answers: { [SHOW]: () => invite, [SIGN_UP]: () => ({}), [JOIN]: () => ({}), ...answers },
    address: '/join',
  });
  return { ...page, accountChoice, checked, path: () => page.router.state.location.pathname };
}

const refuse = (words: string) => () => {
  throw createError('not_found', words);
};
beforeEach(() => {
  vi.stubGlobal('isSecureContext', false);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a person who joins', () => {
  const fill = async () => {
    const page = await open();
    await page.type('Your name', 'Ada');
    await page.type('E-mail address', 'ada@example.org');
    await page.type('Password', 'twelve letters');
    return page;
  };

  // Fails when they begin in another account than the one they were invited to.
  test('begins in the account of the invitation', async () => {
    const { clickOn, until, path, sent, accountChoice, checked } = await fill();
    await clickOn(SUBMIT);
    await until(() => expect(path()).toBe('/deployments'));
    expect(sent(SIGN_UP)).toEqual([
      { token: 's3cret', name: 'Ada', email: 'ada@example.org', password: 'twelve letters' },
    ]);
    expect(sent(JOIN)).toEqual([]);
    // The account is chosen before the session is read, by which the first calls are made.
    expect([accountChoice.id, checked]).toEqual(['acc_2', ['acc_2']]);
  });

  // Fails when somebody who has an account has to make a second one, or their session is used to sign up.
  test('whose session has expired gives no password', async () => {
    const { clickOn, until, path, sent, fields, accountChoice } = await open({ state: 'expired' });
    expect(fields()).toEqual([]);
    await clickOn(SUBMIT);
    await until(() => expect(path()).toBe('/deployments'));
    expect([sent(JOIN), sent(SIGN_UP), accountChoice.id]).toEqual([[{ token: 's3cret' }], [], 'acc_2']);
  });
});

describe('joining with a provider', () => {
  const ways = [{ id: 'acme', kind: 'oidc', name: 'Acme ID' }];

  // Fails when the account is chosen before the provider is known to take the person.
  test('that is refused says why, and chooses no account', async () => {
    const { clickOn, until, texts, accountChoice } = await open({
      ways,
      answers: { [WITH_PROVIDER]: refuse('This invitation has ended.') },
    });
    await clickOn('Join with Acme ID');
    await until(() => expect(texts('alert')).toEqual(['This invitation has ended.']));
    expect(accountChoice.id).toBeUndefined();
  });

  // Fails when somebody who is signed in would link a provider by accepting an invitation.
  test('isn’t offered to somebody who is signed in', async () => {
    expect((await open({ ways, state: 'signed-in' })).controls()).not.toContain('Join with Acme ID');
  });
});
