// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type OpenSetup, openView, say } from '../../testing/open-view.ts';
import { JoinPage } from './join-page.tsx';

const SHOW = 'POST /v1/auth/invites/show';
const SIGN_UP = 'POST /v1/auth/invites/accept';
const ACCEPT = 'POST /v1/user/invites/accept';
const LEAVE = 'POST /v1/auth/oidc/join';
const INVITE = { account: { id: 'acc_9', name: 'Beta Ltd' }, role: 'member', email: null };

afterEach(() => {
  vi.unstubAllGlobals();
});

const open = (setup: OpenSetup = {}) =>
  openView(createElement(JoinPage), {
    address: '/join',
    linkSecret: 'secret_1',
    ...setup,
    answers: {
      [SHOW]: () => INVITE,
      [SIGN_UP]: () => ({}),
      [ACCEPT]: () => ({}),
      'GET /v1/auth/providers': () => [],
      ...setup.answers,
    },
  });

describe('somebody new', () => {
  const fill = async (view: Awaited<ReturnType<typeof open>>, email?: string) => {
    await view.fill(view.field(say('firstRun.name')), 'Dee');
    if (email !== undefined) await view.fill(view.field(say('signIn.email')), email);
    await view.fill(view.field(say('signIn.password')), 'a long password');
    await view.press('Enter');
  };

  test('signs up, joins, and sees the account', async () => {
    const view = await open({ session: 'signed-out' });
    await fill(view, 'dee@example.com');
    expect(view.sent(SIGN_UP)).toEqual([
      { token: 'secret_1', name: 'Dee', email: 'dee@example.com', password: 'a long password' },
    ]);
    expect([view.api.accountChoice.id, view.address()]).toEqual(['acc_9', '/deployments']);
    expect(view.sent('session.check')).toHaveLength(1);
  });

  // Fails when the address of the invitation isn't sent, or may be changed: the server would refuse the person.
  test('who is invited by their address signs up with it', async () => {
    const answers = { [SHOW]: () => ({ ...INVITE, email: 'dee@example.com' }) };
    const view = await open({ session: 'signed-out', answers });
    const field = view.field(say('signIn.email'));
    expect([field.value, field.getAttribute('readonly')]).toEqual(['dee@example.com', '']);
    await fill(view);
    expect(view.sent(SIGN_UP)).toMatchObject([{ email: 'dee@example.com' }]);
  });

  // Fails when the person can't tell who invites them, or a key's invitation names somebody.
  test.each([
    ['Ada', 'join.text'],
    [null, 'join.textAnonymous'],
  ] as const)('is told who invites them: %s', async (inviter, key) => {
    const answers = { [SHOW]: () => ({ ...INVITE, invited_by: inviter }) };
    const view = await open({ session: 'signed-out', answers });
    const about = { account: 'Beta Ltd', role: say('join.as.member') };
    expect(view.text()).toContain(say(key, inviter === null ? about : { inviter, ...about }));
  });

  // Fails when a refusal leads on to a page of an account that they don't belong to.
  test('who is refused stays, with the reason and what they typed', async () => {
    const refuse = () => {
      throw createError('conflict', 'The invitation was used.');
    };
    const view = await open({ session: 'signed-out', answers: { [SIGN_UP]: refuse } });
    await fill(view, 'dee@example.com');
    expect(view.get('alert').textContent).toContain('The invitation was used.');
    expect([view.field(say('firstRun.name')).value, view.address()]).toEqual(['Dee', '/join']);
    expect(view.api.accountChoice.id).toBeUndefined();
  });

  test('may join with a provider, and comes back to the account', async () => {
    const assign = vi.fn();
    vi.stubGlobal('location', Object.assign(new URL('http://berth.test/join'), { assign }));
    const answers = {
      'GET /v1/auth/providers': () => [{ kind: 'oidc', id: 'acme', name: 'Acme ID' }],
      [LEAVE]: () => ({ url: 'https://id.acme.test/authorize' }),
    };
    const view = await open({ session: 'signed-out', answers });
    await view.click(view.get('button', /Acme ID/));
    expect(view.sent(LEAVE)).toEqual([{ provider: 'acme', token: 'secret_1' }]);
    expect(assign.mock.calls).toEqual([['https://id.acme.test/authorize']]);
    expect(view.api.accountChoice.id).toBe('acc_9');
  });
});

describe('somebody who is signed in', () => {
  // Fails when opening a link is enough to join an account.
  test('joins by one press, without a second person being made', async () => {
    const view = await open();
    expect(view.document.querySelectorAll('input')).toHaveLength(0);
    expect(view.calls.map(({ route }) => route)).toEqual([SHOW]);
    await view.click(view.get('button', say('join.accept')));
    expect([view.sent(ACCEPT), view.sent(SIGN_UP)]).toEqual([[{ token: 'secret_1' }], []]);
    expect(view.api.accountChoice.id).toBe('acc_9');
  });
});

describe('a link', () => {
  test('that has ended says so, and offers nothing', async () => {
    const refuse = () => {
      throw createError('not_found', 'The invitation has ended.');
    };
    const view = await open({ session: 'signed-out', answers: { [SHOW]: refuse } });
    expect(view.get('alert').textContent).toContain('The invitation has ended.');
    expect(view.document.querySelectorAll('form')).toHaveLength(0);
  });

  test('without its secret asks the server nothing', async () => {
    const answers = { [SHOW]: () => INVITE };
    const view = await openView(createElement(JoinPage), { address: '/join', session: 'signed-out', answers });
    expect([view.calls, view.text().includes(say('join.noLink.text'))]).toEqual([[], true]);
  });
});
