import { expect, test } from 'vitest';
import { ownPath, signInAddress } from './sign-in-address.ts';

test('a sign-in returns to the full address', () => {
  const url = new URL(signInAddress('google', '/logs?q=a&b=c#d'), 'http://x');
  expect([...url.searchParams]).toEqual([
    ['provider', 'google'],
    ['return_to', '/logs?q=a&b=c#d'],
  ]);
});

test.each([
  ['/logs?q=1#a', '/logs?q=1#a'],
  ['//evil.example/x', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
  [null, '/'],
])('%s leads to %s', (path, own) => {
  expect(ownPath(path)).toBe(own);
});
