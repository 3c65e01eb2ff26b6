import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSignedUrl, OBJECTS_PREFIX, parseSignedTarget } from './signed-url.ts';

const signature = { expires: 1_800_000_000, key: '20000', signature: 'abc_-' };
const grant = { account: 'acc_1', storageId: 'vol_1' };

test('what was formatted is read back, whatever the path holds', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), (parts) => {
      const path = parts.join('/');
      fc.pre(path.isWellFormed());
      const url = formatSignedUrl('http://s:1', OBJECTS_PREFIX, { ...grant, path }, signature);
      expect(parseSignedTarget(url.slice('http://s:1'.length))).toEqual({
        prefix: OBJECTS_PREFIX,
        ...grant,
        path,
        signature,
      });
    }),
  );
});

// Fails when a target without a query is parsed as if it were one.
test('a path is never read as a query', () => {
  const path = 'x&expires=1&key=2&signature=s';
  expect(parseSignedTarget(`/v1/objects/a/v/${path}`)).toMatchObject({ path, signature: undefined });
});

test('a target is not normalised: what climbs is still there to be refused', () => {
  expect(parseSignedTarget('/v1/objects/a/v/../x')).toMatchObject({ path: '../x' });
  expect(parseSignedTarget('/v1/objects/a/v/..%2fx')).toMatchObject({ path: '../x' });
  expect(parseSignedTarget('/v1/objects/a/v/%252e%252e/x')).toMatchObject({ path: '%2e%2e/x' });
});

// Fails when one of the conditions on account, volume and path is left out.
test.each([
  '/',
  '/v1/objects',
  '/v1/objects/a',
  '/v1/objects/a/v',
  '/v1/objects/%ff/v/x',
  '/v1/objects/a/%ff/x',
  '/v1/objects/a/v/%ff',
  '/v1/objects/a/v/x/%ff',
  '/v1/object/a/v/x',
])('%s is for nobody here', (target) => {
  expect(parseSignedTarget(target)).toBeUndefined();
});

test.each([
  '',
  '?',
  '?expires=1&key=2',
  '?expires=1&signature=x',
  '?key=2&signature=x',
  '?expires=1&expires=2&key=2&signature=x',
  '?expires=1.5&key=2&signature=x',
  '?expires=-1&key=2&signature=x',
  '?expires=1e3&key=2&signature=x',
])('a query %s is no signature', (query) => {
  expect(parseSignedTarget(`/v1/objects/a/v/x${query}`)).toMatchObject({ path: 'x', signature: undefined });
});
