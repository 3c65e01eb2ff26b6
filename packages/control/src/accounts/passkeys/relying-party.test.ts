import { expect, test } from 'vitest';
import { findRelyingParty } from './relying-party.ts';

test.each([
  ['https://berth.example.com/', { id: 'berth.example.com', origin: 'https://berth.example.com' }],
  ['https://berth.example.com:8443', { id: 'berth.example.com', origin: 'https://berth.example.com:8443' }],
  ['http://localhost:8787', { id: 'localhost', origin: 'http://localhost:8787' }],
  ['http://berth.localhost', { id: 'berth.localhost', origin: 'http://berth.localhost' }],
  ['http://berth.example.com', undefined],
  ['https://10.0.0.7', undefined],
  ['https://[::1]:8443', undefined],
])('%s', (baseUrl, party) => {
  expect(findRelyingParty(baseUrl)).toEqual(party);
});
