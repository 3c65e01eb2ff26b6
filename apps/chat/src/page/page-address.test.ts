import { expect, test } from 'vitest';
import { pageAddress, parsePageAddress } from './page-address.ts';

test.each([
  ['/', { chatId: undefined, teamId: undefined }],
  ['/?id=c1', { chatId: 'c1', teamId: undefined }],
  ['/?ws=t1', { chatId: undefined, teamId: 't1' }],
  ['/?id=a%26b&ws=t%2F1', { chatId: 'a&b', teamId: 't/1' }],
])('%s', (address, place) => {
  expect(pageAddress(place)).toBe(address);
  expect(parsePageAddress(address.slice(1))).toEqual(place);
});

test('what is empty names nothing', () => {
  expect(parsePageAddress('?id=&ws=')).toEqual({ chatId: undefined, teamId: undefined });
});
