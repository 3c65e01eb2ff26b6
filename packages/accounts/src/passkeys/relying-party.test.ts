import { expect, test } from 'vitest';
import { findRelyingParty } from './relying-party.ts';

test.each([
  ['https://berth.example.com/', { id: 'berth.example.com', origins: ['https://berth.example.com'] }],
  ['https://berth.example.com:8443', { id: 'berth.example.com', origins: ['https://berth.example.com:8443'] }],
  ['http://localhost:8787', { id: 'localhost', origins: ['http://localhost:8787'] }],
  ['http://berth.localhost', { id: 'berth.localhost', origins: ['http://berth.localhost'] }],
  ['http://berth.example.com', undefined],
  ['https://10.0.0.7', undefined],
  ['https://[::1]:8443', undefined],
])('%s', (baseUrl, party) => {
  expect(findRelyingParty(baseUrl)).toEqual(party);
});

test('the console may be at other hosts too', () => {
  const party = findRelyingParty('https://api.example.com:8443', ['console.example.com', 'example.com']);
  expect(party).toEqual({
    id: 'api.example.com',
    origins: ['https://api.example.com:8443', 'https://console.example.com:8443', 'https://example.com:8443'],
  });
});
