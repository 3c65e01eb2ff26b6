import { createElement } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { createMemoryStorage, setupView } from '../../render-view.test-support.ts';
import { en } from '../../text/en/index.ts';
import { SignInProblemPage } from './sign-in-problem-page.tsx';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Returns the page at an address: its text, and where its links lead. */
function open(search: Readonly<Record<string, string>>) {
  vi.stubGlobal('location', { search: `?${new URLSearchParams(search)}` });
  vi.stubGlobal('localStorage', createMemoryStorage());
  const html = setupView().render(createElement(SignInProblemPage));
  const links = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  return { html, links };
}

// Fails when a retry is offered for what it can't solve, or withheld where it can.
test.each<[string, boolean]>([
  ['declined', true],
  ['expired', true],
  ['unavailable', true],
  ['refused', true],
  ['email_unverified', true],
  ['email_domain', true],
  ['too_many', true],
  ['not_offered', false],
  ['email_taken', false],
  ['closed', false],
  ['invitation', false],
  ['linked_elsewhere', false],
])('%s may be tried again: %s', (problem, isPassing) => {
  const { html, links } = open({ problem, provider: 'acme', return_to: '/logs?filter=a' });
  const again = '/v1/auth/oidc/start?provider=acme&return_to=%2Flogs%3Ffilter%3Da';
  expect(links).toEqual([...(isPassing ? [again] : []), '/logs?filter=a']);
  const text = en[`ways.problem.${problem}` as keyof typeof en] as string;
  expect(html.replaceAll('&#x27;', "'").replaceAll('&quot;', '"')).toContain(text);
});

// Fails when the text of the page comes from the address.
test.each(['', 'nonsense', '<b>', 'constructor'])('the unknown problem %j is a refusal', (problem) => {
  const { html } = open({ problem, provider: 'acme' });
  expect(html.replaceAll('&#x27;', "'")).toContain(en['ways.problem.refused']);
});

// Fails when the page links to wherever its address says.
test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
  'never leads to %s',
  (address) => {
    expect(open({ problem: 'declined', provider: 'acme', return_to: address }).links.at(-1)).toBe('/');
  },
);

test('offers no retry without a provider', () => {
  expect(open({ problem: 'declined' }).links).toEqual(['/']);
});
