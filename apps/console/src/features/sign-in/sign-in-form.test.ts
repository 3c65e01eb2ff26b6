// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { act, createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { type OpenSetup, openView, say } from '../../testing/open-view.ts';
import { ConfirmEmailPage } from './confirm-email-page.tsx';
import { FirstRunPage } from './first-run-page.tsx';
import { OtherWays } from './other-ways.tsx';
import { ResetPasswordPage } from './reset-password-page.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { SignedInPage } from './signed-in-page.tsx';

const CHECK = 'POST /v1/auth/first-run/check';
const WAYS = 'GET /v1/auth/providers';
const PROVIDER = { kind: 'oidc', id: 'acme', name: 'Acme ID' };

const unavailable = () => {
  throw createError('unavailable', 'Not now.');
};

describe('the sign-in page', () => {
  const open = (answers: OpenSetup['answers']) =>
    openView(createElement(SignInPage), { session: 'signed-out', ...(answers && { answers }) });

  // Fails when each failure brings the form back anew, which reads the ways again: the page would never come to rest.
  test('asks for the ways to sign in no more than twice when they can’t be read', async () => {
    const view = await open({ [WAYS]: unavailable });
    expect(view.field(say('signIn.email'))).toBeDefined();
    expect(view.sent(WAYS).length).toBeLessThanOrEqual(2);
  });

  // Fails when the form is replaced while the ways are read again: what was typed would be lost.
  test('keeps what was typed while the ways are read again', async () => {
    const view = await open({ [WAYS]: unavailable });
    await view.fill(view.field(say('signIn.email')), 'ada@example.com');
    await act(() => view.queries.refetchQueries({ queryKey: QUERY_KEYS.signInWays }));
    await view.settle();
    expect(view.field(say('signIn.email')).value).toBe('ada@example.com');
  });

  test('signs in by Enter, once', async () => {
    const view = await open({ [WAYS]: () => [] });
    await view.fill(view.field(say('signIn.email')), 'ada@example.com');
    await view.fill(view.field(say('signIn.password')), 'a long password');
    await view.press('Enter');
    expect(view.sent('session.signIn')).toEqual([{ email: 'ada@example.com', password: 'a long password' }]);
  });
});

describe('a forgotten password', () => {
  // Fails when the page leaves people without a way, or with a command for another person.
  test('has a way back', async () => {
    const view = await openView(createElement(SignInPage), { session: 'signed-out', answers: { [WAYS]: () => [] } });
    await view.fill(view.field(say('signIn.email')), 'ada@example.com');
    await view.click(view.document.querySelector('summary') as HTMLElement);
    expect(view.text()).toContain(say('signIn.forgot.text'));
    expect(view.text()).toContain('npx berth members reset-password ada@example.com');
  });

  // Fails when the page offers mail that the platform doesn't send, or tells whether the address is known.
  test('is replaced by mail where the platform sends it', async () => {
    const REQUEST = 'POST /v1/auth/password-reset/request';
    const way = { kind: 'password', id: 'password', name: 'Password', sends_email: true };
    const view = await openView(createElement(SignInPage), {
      session: 'signed-out',
      answers: { [WAYS]: () => [way], [REQUEST]: () => ({ detail: '…' }) },
    });
    await view.fill(view.field(say('signIn.email')), 'ada@example.com');
    await view.click(view.document.querySelector('summary') as HTMLElement);
    expect(view.text()).not.toContain('npx berth');
    await view.click(view.get('button', say('signIn.forgot.send')));
    expect(view.sent(REQUEST)).toEqual([{ email: 'ada@example.com' }]);
    expect(view.text()).toContain(say('signIn.forgot.sent'));
  });

  const SHOW = 'POST /v1/auth/password-reset/show';
  const RESET = 'POST /v1/auth/password-reset';
  const open = (answers: OpenSetup['answers'], linkSecret: string | undefined = 'secret_1') =>
    openView(createElement(ResetPasswordPage), {
      ...{ address: '/reset-password', session: 'signed-out' },
      ...(linkSecret === '' ? {} : { linkSecret }),
      ...(answers && { answers }),
    });

  test('is replaced with the link, which signs in', async () => {
    const session = { user: { id: 'ada', name: 'Ada', email: 'ada@example.com' } };
    const view = await open({ [SHOW]: () => ({ name: 'Ada', email: 'ada@example.com' }), [RESET]: () => session });
    expect(view.field(say('signIn.email')).value).toBe('ada@example.com');
    await view.fill(view.field(say('signIn.password')), 'a long password');
    await view.press('Enter');
    expect(view.sent(RESET)).toEqual([{ token: 'secret_1', password: 'a long password' }]);
    expect([view.sent('session.noteSignedIn').length, view.address()]).toEqual([1, '/deployments']);
  });

  // Fails when a used link takes a password first.
  test('with a link that was used, or without its secret, has no form', async () => {
    const view = await open({
      [SHOW]: () => {
        throw createError('not_found', 'This link has been used.');
      },
    });
    expect([view.fields(), view.get('alert').textContent]).toEqual([[], 'This link has been used.']);
    const bare = await open({}, '');
    expect([bare.fields(), bare.text().includes(say('reset.noLink'))]).toEqual([[], true]);
  });
});

describe('a provider', () => {
  // Fails when the person comes back to another page than the one they were at.
  test('is left for with the address of the page', async () => {
    vi.stubGlobal('location', new URL('http://berth.test/logs?deployment=shop#x'));
    const view = await openView(createElement(OtherWays), { answers: { [WAYS]: () => [PROVIDER] } });
    await view.click(view.get('link', /Acme ID/));
    vi.unstubAllGlobals();
    const [address = ''] = view.followed.slice(-1);
    expect(new URL(address, 'http://berth.test').searchParams.get('return_to')).toBe('/logs?deployment=shop#x');
  });

  // Fails when the page itself is left although its session only expired: what was typed would be lost.
  test('is opened beside a page that waits, and in a tab where windows are blocked', async () => {
    const openWindow = vi.fn((): object | null => ({}));
    vi.stubGlobal('open', openWindow);
    const view = await openView(createElement(OtherWays, { isAside: true }), {
      answers: { [WAYS]: () => [PROVIDER] },
    });
    const count = view.followed.length;
    await view.click(view.get('link', /Acme ID/));
    expect(openWindow.mock.calls).toEqual([[expect.stringContaining('acme'), 'berth-sign-in', expect.any(String)]]);
    expect(view.followed).toHaveLength(count);
    openWindow.mockReturnValue(null);
    await view.click(view.get('link', /Acme ID/));
    vi.unstubAllGlobals();
    expect(view.followed).toHaveLength(count + 1);
    expect(view.get('link', /Acme ID/).getAttribute('target')).toBe('_blank');
  });
});

describe('a window that signed in for another one', () => {
  // Fails when the page that waits never hears of it.
  test('tells the other tabs, and goes', async () => {
    const close = vi.fn();
    vi.stubGlobal('close', close);
    const view = await openView(createElement(SignedInPage), { session: 'signed-out', answers: { [WAYS]: () => [] } });
    expect([view.sent('session.tellTabs').length, close.mock.calls.length]).toEqual([0, 0]);
    await view.setSession('signed-in');
    vi.unstubAllGlobals();
    expect([view.sent('session.tellTabs').length, close.mock.calls.length]).toEqual([1, 1]);
  });
});

describe('the first run', () => {
  test('creates the first person with the secret of the link, and goes on', async () => {
    const view = await openView(createElement(FirstRunPage), {
      ...{ address: '/first-run', linkSecret: 'secret_1' },
      answers: { [CHECK]: () => ({ is_needed: true, is_valid: true }) },
    });
    await view.fill(view.field(say('firstRun.name')), 'Ada');
    await view.fill(view.field(say('signIn.email')), 'ada@example.com');
    await view.fill(view.field(say('signIn.password')), 'a long password');
    await view.press('Enter');
    expect(view.sent('session.beginFirstRun')).toEqual([
      { token: 'secret_1', name: 'Ada', email: 'ada@example.com', password: 'a long password' },
    ]);
    expect(view.address()).toBe('/deployments');
  });

  // Fails when the whole form is filled in before the link turns out to be used.
  test.each([
    [false, false, 'firstRun.used.text'],
    [true, false, 'firstRun.stale.text'],
  ] as const)(
    'with a link where the platform needs an owner: %s, says so at once',
    async (is_needed, is_valid, key) => {
      const view = await openView(createElement(FirstRunPage), {
        ...{ address: '/first-run', linkSecret: 'secret_1' },
        answers: { [CHECK]: () => ({ is_needed, is_valid }) },
      });
      expect(view.sent(CHECK)).toEqual([{ token: 'secret_1' }]);
      expect([view.fields(), view.text().includes(say(key))]).toEqual([[], true]);
    },
  );

  // Fails when the address of a fresh platform shows a sign-in that nobody can use.
  test('is named at the address of a platform without an owner', async () => {
    const view = await openView(createElement(SignInPage), {
      session: 'signed-out',
      answers: { [CHECK]: () => ({ is_needed: true, is_valid: false }), [WAYS]: () => [] },
    });
    expect(view.fields()).toEqual([]);
    expect(view.text()).toContain('http://berth.test/first-run#…');
  });

  test('without the secret offers no form', async () => {
    const view = await openView(createElement(FirstRunPage), {
      address: '/first-run',
      answers: { [CHECK]: () => ({ is_needed: true, is_valid: false }) },
    });
    expect(view.document.querySelectorAll('input')).toHaveLength(0);
    expect(view.text()).toContain(say('firstRun.noLink.text'));
  });
});

// Fails when opening the link is enough: programs that look for viruses open the links of mails.
test('a new address is confirmed by a button, not by opening the link', async () => {
  const CONFIRM = 'POST /v1/auth/email/confirm';
  const view = await openView(createElement(ConfirmEmailPage), {
    ...{ address: '/confirm-email', session: 'signed-out', linkSecret: 'secret_1' },
    answers: { [CONFIRM]: () => ({ email: 'ada@new.example' }) },
  });
  expect(view.sent(CONFIRM)).toEqual([]);
  await view.click(view.get('button', say('confirmEmail.submit')));
  expect(view.sent(CONFIRM)).toEqual([{ token: 'secret_1' }]);
  expect(view.text()).toContain(say('confirmEmail.done', { email: 'ada@new.example' }));
});
