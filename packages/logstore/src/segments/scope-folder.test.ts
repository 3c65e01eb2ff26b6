import { sep } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scopeFolder } from './scope-folder.ts';

const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '.',
    '..',
    'a',
    'A',
    'a/b',
    '../a',
    '~',
    'a\0',
    'con',
    '\\',
    'a.',
    'é',
    'e\u0301',
    'x'.repeat(300),
  ),
);
const scope = fc.record({ account: name, deployment: name });

test('ids as they are made keep their names', () => {
  const folder = scopeFolder({ account: 'acct_01hzy3', deployment: 'my-agent' });
  expect(folder).toBe(['acct_01hzy3', 'my-agent'].join(sep));
});

test('any scope is two harmless folder names, lower case, of bounded length', () => {
  fc.assert(
    fc.property(scope, (one) => {
      expect(scopeFolder(one).split(sep)).toEqual([
        expect.stringMatching(/^(?:[a-z0-9][a-z0-9_-]{0,99}|~[0-9a-f]{64})$/),
        expect.stringMatching(/^(?:[a-z0-9][a-z0-9_-]{0,99}|~[0-9a-f]{64})$/),
      ]);
    }),
  );
});

test('different scopes have different folders', () => {
  fc.assert(
    fc.property(scope, scope, (a, b) => {
      const isSame = a.account === b.account && a.deployment === b.deployment;
      expect(scopeFolder(a) === scopeFolder(b)).toBe(isSame);
    }),
  );
});
