import { expect, test } from 'vitest';
import { takeLinkSecret } from './take-link-secret.ts';

test.each([
  ['/first-run', '#s3cret', 's3cret'],
  ['/join', '#s3cret', 's3cret'],
  ['/reset-password', '#s3cret', 's3cret'],
  ['/join', '', undefined],
  ['/join', '#', undefined],
  ['/keys', '#s3cret', undefined],
])('the secret of %s%s', (pathname, hash, secret) => {
  const kept: unknown[] = [];
  const history = { replaceState: (_data: unknown, _unused: string, url?: string | URL | null) => kept.push(url) };
  expect(takeLinkSecret({ pathname, hash }, history)).toBe(secret);
  expect(kept).toEqual(secret === undefined ? [] : [pathname]);
});
