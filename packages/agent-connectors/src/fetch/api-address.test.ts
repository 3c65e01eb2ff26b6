import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apiAddress } from './api-address.ts';

const BASE = 'https://api.example/v1/team/';

test.each([
  ['', undefined, BASE],
  ['items', undefined, `${BASE}items`],
  ['items/', 'a=1&b=%2F&c=x+y', `${BASE}items/?a=1&b=%2F&c=x+y`],
  ['files/a%2Fb%252Fc', undefined, `${BASE}files/a%2Fb%252Fc`],
  ['%252e%252e/x', undefined, `${BASE}%252e%252e/x`],
  ['caf%C3%A9/..x/x../...', undefined, `${BASE}caf%C3%A9/..x/x../...`],
  ['models:list', undefined, `${BASE}models:list`],
  ['a/@me', undefined, `${BASE}a/@me`],
  ['%40scope%2fname', undefined, `${BASE}%40scope%2fname`],
  ['a//b', undefined, `${BASE}a//b`],
  ['x', 'u=http://evil.test/../..', `${BASE}x?u=http://evil.test/../..`],
  ['x', 'y#z', `${BASE}x?y`],
  ['x', '', `${BASE}x?`],
])('%s?%s is below the base', (path, query, address) => {
  expect(apiAddress(BASE, path, query).href.replace(/#$/, '')).toBe(address);
});

test.each([
  '/evil.test/x',
  '//evil.test/x',
  '%2fevil.test',
  '%2F%2Fevil.test',
  '\\evil.test',
  '\\\\evil.test',
  '%5cevil.test',
  'a\\b',
  'http://evil.test',
  'HTTPS://evil.test',
  'http:/evil.test',
  'file:///etc/passwd',
  'javascript:/x',
  '@evil.test/x',
  '..',
  '../x',
  'a/../../x',
  '.',
  './x',
  '%2e%2e/x',
  '.%2E/x',
  '..%2f..%2fx',
  '..%5c..%5cx',
  'a/..;jsessionid=1/x',
  '..%3bx/y',
  'a%00b',
  'a%0d%0aHost:%20evil',
  '%7f',
  '%zz',
  '%',
  '%c0%ae%c0%ae/x',
  '%ff',
])('%s leaves it', (path) => {
  expect(() => apiAddress(BASE, path)).toThrow(/base URL|percent-encoded/);
});

test('whatever the path, nothing outside of the base is asked', () => {
  const part = fc.constantFrom(...'..|.|/|\\|%2f|%2e|%5c|;|@|:|http://|evil.test|a|%09|?|#|%25|//|ä'.split('|'));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      let url: URL;
      try {
        url = apiAddress(BASE, parts.join(''));
      } catch {
        return;
      }
      expect([url.origin, url.username, url.password]).toEqual(['https://api.example', '', '']);
      const once = decodeURIComponent(url.pathname).replaceAll('\\', '/');
      expect(new URL(once, 'https://api.example').pathname).toMatch(/^\/v1\/team\//);
    }),
    { numRuns: 2_000 },
  );
});
