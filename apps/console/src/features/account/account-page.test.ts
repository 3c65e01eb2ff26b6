// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryStorage } from '../../render-view.test-support.ts';
import { openView } from '../../testing/open-view.ts';
import type { PasskeyBrowser } from '../passkeys/passkey-browser.ts';
import { AccountPage } from './account-page.tsx';

const USER = 'GET /v1/user';
const IDENTITIES = 'GET /v1/user/identities';
const person = { id: 'usr_1', name: 'Ada', email: 'ada@example.org' };

async function open(answers: Readonly<Record<string, () => unknown>> = {}, hasPassword = true) {
  const page = await openView(createElement(AccountPage), {
    passkeys: {} as PasskeyBrowser,
    answers: {
      [USER]: () => ({ user: person, role: 'owner', scopes: [], account: { id: 'acc_1', name: 'Acme' } }),
      [IDENTITIES]: () => ({ has_password: hasPassword, identities: [] }),
      'GET /v1/auth/providers': () => [],
      'GET /v1/user/passkeys': () => [],
      ...answers,
    },
  });
  return { ...page, headings: () => [...document.querySelectorAll('h2')].map(({ textContent }) => textContent) };
}

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('PublicKeyCredential', {});
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the account page', () => {
  test('has the profile, the ways to sign in and the appearance', async () => {
    const { headings, field } = await open();
    expect(headings()).toEqual(['Profile', 'Passkeys', 'Password', 'Appearance']);
    expect(field('Your name').value).toBe('Ada');
  });

  // Fails when people who sign in with a provider are asked for a password that they don't have.
  test('has no password for people without one', async () => {
    expect((await open({}, false)).headings()).toEqual(['Profile', 'Passkeys', 'Appearance']);
  });

  // Fails when people whose only way in may be a passkey can't see them in a browser that has none.
  test.each([
    [true, ['Profile', 'Password', 'Appearance']],
    [false, ['Profile', 'Passkeys', 'Appearance']],
  ])('without passkeys in the browser, and with a password: %s', async (hasPassword, expected) => {
    vi.stubGlobal('PublicKeyCredential', undefined);
    expect((await open({}, hasPassword)).headings()).toEqual(expected);
  });

  // Fails when one of two answers that failed isn't asked for again.
  test.each([USER, IDENTITIES])('asks again for what it needs when %s fails', async (route) => {
    let isBroken = true;
    const answer = () => {
      if (isBroken) throw createError('unavailable', 'The database is busy.');
      return route === IDENTITIES
        ? { has_password: true, identities: [] }
        : { user: person, role: 'owner', scopes: [], account: { id: 'acc_1', name: 'Acme' } };
    };
    const { texts, clickOn, until, headings } = await open({ [route]: answer });
    await until(() => expect(texts('alert')).toEqual(['The database is busy.Try again']));
    expect(headings()).toEqual([]);
    isBroken = false;
    await clickOn('Try again');
    await until(() => expect(headings()).toContain('Profile'));
    expect(texts('alert')).toEqual([]);
  });

  // Fails when a theme is set for this page only: the next one would be in the one before.
  test('keeps the theme in this browser', async () => {
    const storage = createMemoryStorage();
    vi.stubGlobal('localStorage', storage);
    const { choose, until, texts } = await open();
    await choose('Theme', 'Dark');
    await until(() => expect(texts('combobox')).toContain('Dark'));
    expect([...storage.kept.values()].join()).toContain('dark');
  });
});
