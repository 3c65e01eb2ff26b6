// @vitest-environment happy-dom
import type { LinkedIdentity } from '@berth/contract';
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { openView } from '../../testing/open-view.ts';
import { LinkedIdentities } from './linked-identities.tsx';

const LIST = 'GET /v1/user/identities';
const CONNECT = 'POST /v1/user/identities';
const REMOVE = 'DELETE /v1/user/identities';
const ways = ['acme', 'other'].map((id) => ({ id, kind: 'oidc', name: id === 'acme' ? 'Acme ID' : 'Other ID' }));

const identity = (changes: Partial<LinkedIdentity> = {}): LinkedIdentity => ({
  ...{ id: 'idn_1', provider: 'acme', name: 'Acme ID', issuer: 'https://id.acme.example' },
  ...{ created_at: '2026-01-01T00:00:00Z' },
  ...changes,
});

interface Setup {
  readonly identities?: readonly LinkedIdentity[];
  readonly offered?: readonly object[];
  readonly answers?: Readonly<Record<string, () => unknown>>;
}

function open({ identities = [identity()], offered = ways, answers = {} }: Setup = {}) {
  return openView(createElement(LinkedIdentities), {
    cached: [
      [QUERY_KEYS.signInWays, offered],
      [QUERY_KEYS.identities, { has_password: true, identities }],
    ],
    answers: { [LIST]: () => ({ has_password: true, identities }), ...answers },
  });
}

/** Returns the addresses that the page is sent to. */
function watchLocation() {
  const visited: string[] = [];
  vi.stubGlobal('location', { pathname: '/account', assign: (url: string) => visited.push(url) });
  return visited;
}
afterEach(() => {
  vi.unstubAllGlobals();
});

// Fails when a section stands there with nothing in it.
test('nothing is shown where there are neither providers nor links', async () => {
  const page = await open({ identities: [], offered: [{ id: 'password', kind: 'password', name: '' }] });
  expect([page.text(), page.controls()]).toEqual(['', []]);
});

// Fails when a provider that is linked is offered again, or a password counts as a provider.
test('a provider is either linked or offered', async () => {
  const page = await open({ offered: [...ways, { id: 'password', kind: 'password', name: 'Password' }] });
  expect(page.controls()).toEqual(['Disconnect', 'Connect Other ID']);
});

// Fails when a link to a provider that the operator has removed disappears: nobody could remove it.
test('a link to a provider that is no longer offered says so, and can be removed', async () => {
  const page = await open({ identities: [identity({ provider: null, name: 'Old ID' })], offered: [] });
  expect(page.text()).toMatch(/Old ID/);
  expect(page.text()).toMatch(/no longer available/);
  expect(page.controls()).toContain('Disconnect');
});

// Fails when the person comes back to another page, or is sent on before the server has answered.
test('linking goes to the provider and comes back to this page', async () => {
  const visited = watchLocation();
  const page = await open({ answers: { [CONNECT]: () => ({ url: 'https://id.other.example/authorize?state=1' }) } });
  await page.clickOn('Connect Other ID');
  await page.until(() => expect(visited).toEqual(['https://id.other.example/authorize?state=1']));
  expect(page.calls.filter(({ route }) => route === CONNECT).map(({ body }) => body)).toEqual([
    { provider: 'other', return_to: '/account' },
  ]);
});

// Fails when a session that is too old looks like a right that is missing, or every error looks like one.
test.each([
  ['forbidden', 'You may not.', /^You signed in a while ago/],
  ['unavailable', 'Other ID doesn’t answer.', /^Other ID doesn’t answer\.$/],
] as const)('a link refused with %s is explained', async (code, words, shown) => {
  const visited = watchLocation();
  const page = await open({
    answers: {
      [CONNECT]: () => {
        throw createError(code, words);
      },
    },
  });
  await page.clickOn('Connect Other ID');
  await page.until(() => expect(page.texts('alert')).toEqual([expect.stringMatching(shown)]));
  expect(visited).toEqual([]);
});

// Fails when a link is removed without a question, or another one is.
test('removing asks first, names the link and reads the list anew', async () => {
  const removed: unknown[] = [];
  const page = await open({
    identities: [identity(), identity({ id: 'idn_2', name: 'Acme ID 2' })],
    answers: { [REMOVE]: () => removed.push(1) },
  });
  await page.clickOn('Disconnect', 1);
  await page.until(() => expect(page.dialog()).toContain('Acme ID 2'));
  expect(removed).toEqual([]);
  await page.clickOn('Disconnect');
  await page.until(() => expect(page.dialog()).toBeUndefined());
  expect(page.calls.find(({ route }) => route === REMOVE)?.query).toEqual({ id: 'idn_2' });
  expect(page.calls.map(({ route }) => route).slice(-2)).toEqual([REMOVE, LIST]);
});

// Fails when the dialog closes on an error: the link would seem to be gone.
test('the last way to sign in isn’t removed', async () => {
  const page = await open({
    answers: {
      [REMOVE]: () => {
        throw createError('conflict', 'This is your only way to sign in. Set a password first.');
      },
    },
  });
  await page.clickOn('Disconnect');
  await page.until(() => expect(page.dialog()).toBeDefined());
  await page.clickOn('Disconnect');
  await page.until(() => expect(page.texts('alert')).toEqual([expect.stringContaining('only way to sign in')]));
  expect(page.dialog()).toBeDefined();
  await page.press('Escape');
  await page.until(() => expect(page.dialog()).toBeUndefined());
  expect(page.controls()).toContain('Disconnect');
});
