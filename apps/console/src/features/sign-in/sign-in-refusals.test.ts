// @vitest-environment happy-dom
import type { ControlPaths } from '@berth/client';
import { createFakeCalls, type FakeCall } from '@berth/client/testing';
import { createError } from '@berth/contract';
import { createElement, type FunctionComponent } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSession } from '../../api/create-session.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { openView } from '../../testing/open-view.ts';
import { FirstRunPage } from './first-run-page.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignedInPage } from './signed-in-page.tsx';

const SIGN_IN = 'POST /v1/auth/sign-in/email';
const FIRST_RUN = 'POST /v1/auth/first-run';

interface Setup {
  readonly answer?: (call: FakeCall) => unknown;
  readonly linkSecret?: string;
}

/** A view with a session of its own; `told` has what other tabs hear of it. */
async function open(view: FunctionComponent<never>, setup: Setup = {}) {
  const { answer = () => ({ user: { id: 'usr_1' } }), linkSecret } = setup;
  const bodies: unknown[] = [];
  const take = (call: FakeCall) => {
    bodies.push(call.body);
    return answer(call);
  };
  const client = createFakeCalls<ControlPaths>({ [SIGN_IN]: take, [FIRST_RUN]: take });
  const told: unknown[] = [];
  const session = createSession({
    client: () => client,
    channel: { postMessage: (data) => told.push(data), addEventListener: () => {} },
  });
  const page = await openView(createElement(view as FunctionComponent), {
    api: { session, linkSecret },
    cached: [
      [QUERY_KEYS.signInWays, []],
      [QUERY_KEYS.firstRun(linkSecret), { is_needed: linkSecret !== undefined, is_valid: true }],
    ],
    address: '/sign-in',
  });
  return { ...page, session, bodies, told };
}

beforeEach(() => {
  vi.stubGlobal('isSecureContext', false);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the form of a sign-in', () => {
  const fill = async (setup?: Setup) => {
    const page = await open(SignInForm, setup);
    await page.type('E-mail address', 'ada@example.org');
    await page.type('Password', 'secret words');
    return page;
  };

  // Fails when a wrong password empties the fields, signs somebody in or isn't explained.
  test.each([
    ['unauthenticated', 'The email address or the password is wrong.'],
    ['too_many_requests', 'Too many attempts. Try again in a minute.'],
  ] as const)('that is refused with %s keeps what was typed', async (code, words) => {
    const { clickOn, until, texts, field, session, told } = await fill({
      answer: () => {
        throw createError(code, words);
      },
    });
    await clickOn('Sign in');
    await until(() => expect(texts('alert')).toEqual([words]));
    expect([field('E-mail address').value, field('Password').value]).toEqual(['ada@example.org', 'secret words']);
    expect([session.state, told]).toEqual(['unknown', []]);
  });

  // Fails when a second press sends the password again: each attempt counts.
  test('is sent once however often one presses', async () => {
    const answer = Promise.withResolvers<unknown>();
    const { clickOn, control, bodies, until, session } = await fill({ answer: () => answer.promise });
    await clickOn('Sign in');
    expect([control('Sign in').disabled, control('Sign in').getAttribute('aria-busy')]).toEqual([true, 'true']);
    await clickOn('Sign in');
    answer.resolve({ user: { id: 'usr_1' } });
    await until(() => expect(session.state).toBe('signed-in'));
    expect(bodies).toHaveLength(1);
  });

  test.each(['E-mail address', 'Password'])('isn’t sent without the field “%s”', async (label) => {
    const { type, clickOn, bodies } = await fill();
    await type(label, '');
    await clickOn('Sign in');
    expect(bodies).toEqual([]);
  });
});

describe('the first run', () => {
  // Fails when the page is left although there is no account.
  test('says why when it is refused', async () => {
    const { type, clickOn, until, texts, router } = await open(FirstRunPage, {
      linkSecret: 'used',
      answer: () => {
        throw createError('unauthenticated', 'This link was used already. Sign in, or restart Berth for a new one.');
      },
    });
    await type('Your name', 'Ada');
    await type('E-mail address', 'ada@example.org');
    await type('Password', 'short');
    await clickOn('Create account');
    expect(texts('alert')).toEqual([]);
    await type('Password', 'twelve letters');
    await clickOn('Create account');
    await until(() => expect(texts('alert')).toEqual([expect.stringContaining('was used already')]));
    expect(router.state.location.pathname).toBe('/sign-in');
  });
});

describe('the window of a sign-in', () => {
  // Fails when a sign-in that failed closes the window without a word.
  test('offers to sign in when nobody is', async () => {
    const closed = vi.fn();
    vi.stubGlobal('close', closed);
    const { told, fields } = await open(SignedInPage);
    expect([told, closed.mock.calls.length]).toEqual([[], 0]);
    expect(fields()).toEqual(['E-mail address', 'Password']);
  });
});
