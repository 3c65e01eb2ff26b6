import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Choosable, createCertificateIndex } from './choose-certificate.ts';

const entry = (names: string[], notBeforeMs = 0, notAfterMs = 100): Choosable => ({ names, notBeforeMs, notAfterMs });

describe('createCertificateIndex', () => {
  const exact = entry(['app.example']);
  const wildcard = entry(['*.example', '*.deep.example']);
  const index = createCertificateIndex([wildcard, exact]);

  it.each([
    ['app.example', exact],
    ['APP.Example.', exact],
    ['other.example', wildcard],
    ['a.deep.example', wildcard],
    ['a.b.example', undefined],
    ['example', undefined],
    ['.example', undefined],
    ['', undefined],
    ['*.example', wildcard],
    ['__proto__', undefined],
  ])('for %s', (name, expected) => {
    expect(index.find(name, 50)).toBe(expected);
  });

  it('prefers valid certificates, then the exact name, then the given order', () => {
    const expired = entry(['app.example'], 0, 10);
    const future = entry(['app.example'], 60, 100);
    const second = entry(['app.example']);
    expect(createCertificateIndex([expired, future, exact, second]).find('app.example', 50)).toBe(exact);
    expect(createCertificateIndex([expired, future, exact]).find('app.example', 5)).toBe(expired);
    expect(createCertificateIndex([expired, wildcard]).find('app.example', 50)).toBe(wildcard);
  });

  it('returns an expired certificate if there is no other', () => {
    const expired = entry(['app.example'], 0, 10);
    expect(createCertificateIndex([expired]).find('app.example', 50)).toBe(expired);
  });

  it('finds only what matches, label by label', () => {
    const label = fc.constantFrom('a', 'b', 'c');
    const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
    const name = fc.tuple(fc.boolean(), host).map(([isWildcard, text]) => (isWildcard ? `*.${text}` : text));
    fc.assert(
      fc.property(fc.array(fc.array(name, { maxLength: 3 }), { maxLength: 4 }), host, (nameLists, asked) => {
        const found = createCertificateIndex(nameLists.map((names) => entry(names))).find(asked, 50);
        const matches = (pattern: string) => {
          const [want, have] = [pattern.split('.'), asked.split('.')];
          return want.length === have.length && want.every((part, i) => part === have[i] || (part === '*' && i === 0));
        };
        expect(found !== undefined).toBe(nameLists.some((names) => names.some(matches)));
        if (found) expect(found.names.some(matches)).toBe(true);
      }),
    );
  });
});
