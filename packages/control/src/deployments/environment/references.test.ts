import { expect, test } from 'vitest';
import { resolveReferences } from './references.ts';

const sources = {
  shared: new Map([
    ['DB', 'postgres://u:p@db/x'],
    ['LOOP', '${{ shared.DB }}'],
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
])('%s is refused', (text, message) => {
  expect(resolve(text)).toEqual({
    issues: [{ loc: ['body', 'set', 'A'], msg: expect.stringMatching(message), type: 'env_reference_invalid' }],
  });
});
