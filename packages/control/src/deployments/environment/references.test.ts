import { expect, test } from 'vitest';
import { externalNames, resolveReferences } from './references.ts';

const sources = {
  shared: new Map([
    ['DB', 'postgres://u:p@db/x'],
    ['LOOP', '${{ shared.DB }}'],
  ]),
  external: new Map([
    ['prod/db.key', { value: 'from the store' }],
    ['gone', { problem: 'the store has none' }],
  ]),
  urlOf: (name: string) => (name === 'api' ? 'http://api.localhost:8787' : undefined),
};
const resolve = (text: string) => resolveReferences(text, sources, ['body', 'set', 'A']);

test.each([
  ['plain', { value: 'plain' }],
  ['${{ shared.DB }}', { value: 'postgres://u:p@db/x', sharedKeys: ['DB'] }],
  ['${{shared.DB}}?a=${{ shared.DB }}', { value: 'postgres://u:p@db/x?a=postgres://u:p@db/x', sharedKeys: ['DB'] }],
  [
    '${{ services.api.url }}/v1 ${{ services.api.host }}',
    { value: 'http://api.localhost:8787/v1 api.localhost:8787', sharedKeys: [] },
  ],
  ['key ${{ external.prod/db.key }}', { value: 'key from the store', sharedKeys: [] }],
  // What a reference stands for is a value, and no template.
  ['${{ shared.LOOP }}', { value: '${{ shared.DB }}', sharedKeys: ['LOOP'] }],
  [
    '${{ github.sha }} ${{ }} ${shared.DB} {{ shared.DB }}',
    { value: '${{ github.sha }} ${{ }} ${shared.DB} {{ shared.DB }}' },
  ],
])('%s', (text, expected) => {
  expect(resolve(text)).toEqual(expected);
});

test.each([
  ['${{ shared.NO }}', /no shared variable NO/],
  ['${{ shared.__proto__ }}', /no shared variable/],
  ['${{ services.other.url }}', /no deployment other/],
  ['${{ services.api.port }}', /services\.NAME\.url/],
  ['${{ services.api }}', /services\.NAME\.url/],
  ['${{ services. }}', /services\.NAME\.url/],
  ['${{ external.gone }}', /the store has none/],
  ['${{ external.other }}', /changed meanwhile/],
  // Of an argument and of a path.
  ['${{ external.--help }}', /a name has letters/],
  ['${{ external.a/../b }}', /a name has letters/],
  ['${{ external./etc/passwd }}', /a name has letters/],
  ['${{ external.a;b }}', /a name has letters/],
])('%s is refused', (text, message) => {
  expect(resolve(text)).toEqual({
    issues: [{ loc: ['body', 'set', 'A'], msg: expect.stringMatching(message), type: 'env_reference_invalid' }],
  });
});

test('names of external secrets are found, and none that an argument or a path could be made of', () => {
  const texts = ['${{ external.a/b }} ${{external.c}}', '${{ shared.D }} ${{ external.-e }} ${{ external.f/../g }}'];
  expect([...externalNames(texts)]).toEqual(['a/b', 'c']);
});
