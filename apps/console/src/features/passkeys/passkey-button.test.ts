// @vitest-environment happy-dom
import { createError, type PasskeySignInRequest } from '@berth/contract';
import { createElement, useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SessionStore } from '../../api/create-session.ts';
import { openView } from '../../testing/open-view.ts';
import type { PasskeyBrowser } from './passkey-browser.ts';
import { PasskeyButton } from './passkey-button.tsx';

const OPTIONS = 'POST /v1/auth/passkey/options';
const SIGN_IN = 'POST /v1/auth/passkey/sign-in';
const aborted = () => Object.assign(new Error('ended'), { code: 'ERROR_CEREMONY_ABORTED' });

/** The button on a page that can be left. */
function Page() {
  const [isLeft, setLeft] = useState(false);
  const leave = createElement('button', { key: 'leave', type: 'button', onClick: () => setLeft(true) }, 'Leave');
  return isLeft ? 'Left' : [createElement(PasskeyButton, { key: 'passkey' }), leave];
}

interface Setup {
  readonly canAutofill?: boolean;
  readonly signIn?: () => unknown;
}

/** `asked` has the requests for a passkey; the last one waits for `answer`, and `cancelled` counts those that were ended. */
async function open({ canAutofill = true, signIn = () => ({ user: { id: 'usr_1' } }) }: Setup = {}) {
  const asked: string[] = [];
  const entered: string[] = [];
  let cancelled = 0;
  let waiting: PromiseWithResolvers<PasskeySignInRequest> | undefined;
  const end = () => {
    if (waiting) cancelled++;
    waiting?.reject(aborted());
    waiting = undefined;
  };
  const passkeys: PasskeyBrowser = {
    canAutofill: async () => canAutofill,
    create: () => Promise.reject(new Error('not asked for')),
    get(_, isAutofill = false) {
      end();
      asked.push(isAutofill ? 'offered' : 'asked');
      waiting = Promise.withResolvers();
      return waiting.promise;
    },
    cancel: end,
    tellAccepted: async () => {},
  };
  const session = { noteSignedIn: ({ user }: { user: { id: string } }) => entered.push(user.id) };
  const page = await openView(createElement(Page), {
    passkeys,
    api: { session: session as unknown as SessionStore },
    answers: { [OPTIONS]: () => ({ challenge: 'c' }), [SIGN_IN]: signIn },
  });
  return {
    ...page,
    asked,
    entered,
    cancelled: () => cancelled,
    answer(next: string | Error) {
      const { promise, resolve, reject } = waiting ?? Promise.withResolvers<PasskeySignInRequest>();
      waiting = undefined;
      if (typeof next === 'string') resolve({ id: next } as PasskeySignInRequest);
      else reject(next);
      return promise.catch(() => {});
    },
  };
}

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the button of passkeys', () => {
  // Fails when the field of the address offers no passkey, or a dialog opens by itself.
  test('offers passkeys in the field from the start', async () => {
    const { until, asked, answer, entered } = await open();
    await until(() => expect(asked).toEqual(['offered']));
    await answer('pk_1');
    await until(() => expect(entered).toEqual(['usr_1']));
  });

  // Fails when both requests run at once: browsers allow one, and the second would fail.
  test('takes precedence over the offer, and asks once', async () => {
    const { clickOn, until, asked, answer, entered, control, cancelled, sent } = await open();
    await until(() => expect(asked).toEqual(['offered']));
    await clickOn('Sign in with a passkey');
    await until(() => expect(asked).toEqual(['offered', 'asked']));
    expect([control('Sign in with a passkey').disabled, cancelled()]).toEqual([true, 1]);
    await clickOn('Sign in with a passkey');
    await answer('pk_2');
    await until(() => expect(entered).toEqual(['usr_1']));
    expect(sent(SIGN_IN)).toEqual([{ id: 'pk_2' }]);
  });

  // Fails when a closed dialog leaves a page that offers nothing any more, or the words of the browser.
  test('that was cancelled says so, and the offer comes back', async () => {
    const { clickOn, until, asked, answer, texts } = await open();
    await until(() => expect(asked).toEqual(['offered']));
    await clickOn('Sign in with a passkey');
    await until(() => expect(asked).toHaveLength(2));
    await answer(new DOMException('The operation was not allowed.', 'NotAllowedError'));
    await until(() => expect(texts('alert')).toEqual([expect.stringContaining('was dismissed')]));
    await until(() => expect(asked).toEqual(['offered', 'asked', 'offered']));
  });

  // Fails when a passkey that the server doesn't know signs somebody in, or nobody learns that it doesn't.
  test('shows why the server refuses a passkey that was picked in the field', async () => {
    const { until, asked, answer, texts, entered } = await open({
      signIn: () => {
        throw createError('unauthenticated', 'This passkey was removed.');
      },
    });
    await until(() => expect(asked).toEqual(['offered']));
    await answer('pk_1');
    await until(() => expect(texts('alert')).toEqual(['This passkey was removed.']));
    expect(entered).toEqual([]);
  });

  // Fails when the offer outlives the page: the next page couldn't ask.
  test('ends the offer when the page is left', async () => {
    const { clickOn, until, asked, cancelled, text } = await open();
    await until(() => expect(asked).toEqual(['offered']));
    await clickOn('Leave');
    await until(() => expect(text()).toBe('Left'));
    expect(cancelled()).toBe(1);
    expect(asked).toEqual(['offered']);
  });

  test('asks where the browser can’t offer', async () => {
    const { clickOn, until, asked } = await open({ canAutofill: false });
    expect(asked).toEqual([]);
    await clickOn('Sign in with a passkey');
    await until(() => expect(asked).toEqual(['asked']));
  });
});
