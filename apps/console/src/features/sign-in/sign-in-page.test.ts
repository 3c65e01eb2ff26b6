import { createElement } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { createMemoryStorage, setupView } from '../../render-view.test-support.ts';
import { en } from '../../text/en/index.ts';
import { SignInPage } from './sign-in-page.tsx';

const PASSWORD = { id: 'password', kind: 'password', name: '' };
const PROVIDER = { id: 'acme', kind: 'oidc', name: 'Acme ID' };

beforeEach(() => {
  vi.stubGlobal('localStorage', createMemoryStorage());
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Returns the page where the platform offers `ways`; undefined while they are unknown. */
function open(ways: readonly object[] | undefined) {
  const { render } = setupView({ api: { session: {} as never }, cached: ways ? [[QUERY_KEYS.signInWays, ways]] : [] });
  const html = render(createElement(SignInPage)).replaceAll('&amp;', '&');
  const fields = [...html.matchAll(/<input[^>]* name="(\w+)"/g)].map(([, name]) => name);
  const links = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href);
  return { html, fields, links };
}

// Fails when the form appears before its other ways: it would move under the pointer.
test('the page waits until all ways are known', () => {
  expect(open(undefined).fields).toEqual([]);
  expect(open(undefined).html).toContain('role="status"');
});

// Fails when a provider has no link, or one that leads elsewhere.
test('each provider has a link', () => {
  const { fields, links, html } = open([PASSWORD, PROVIDER, { ...PROVIDER, id: 'other', name: 'Other ID' }]);
  expect(fields).toEqual(['email', 'password']);
  expect(links).toEqual(['acme', 'other'].map((id) => `/v1/auth/oidc/start?provider=${id}&return_to=%2F`));
  expect(html).toContain('Acme ID');
});

// Fails when a divider stands above nothing.
test('the form stands alone without other ways', () => {
  vi.stubGlobal('window', { isSecureContext: false, location: { hostname: '10.0.0.1' } });
  for (const ways of [[PASSWORD], [PASSWORD, { id: 'passkey', kind: 'passkey', name: '' }]]) {
    const { html, links } = open(ways);
    expect(links).toEqual([]);
    expect(html).not.toContain(`>${en['ways.or']}<`);
  }
});
