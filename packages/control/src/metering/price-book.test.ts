import { expect, test } from 'vitest';
import { parsePriceBook } from './price-book.ts';

test('reads prices of one unit and of many; what is not named is free', () => {
  const text = '{"currency":"EUR","prices":{"cpu":0.01,"requests":{"price":0.3,"per":1000000}}}';
  expect(parsePriceBook(text)).toEqual({
    currency: 'EUR',
    prices: { cpu: 0.01, memory: 0, requests: 0.3 / 1_000_000, egress: 0, build: 0, storage: 0 },
  });
});

test.each([
  ['{', 'not JSON'],
  ['{"currency":"euro","prices":{}}', 'currency: must be three capital letters'],
  ['{"currency":"EUR","prices":{"cpus":1}}', 'cpus'],
  ['{"currency":"EUR","prices":{"cpu":-1}}', 'prices.cpu'],
  ['[]', 'price book'],
])('refuses %s', (text, message) => {
  expect(() => parsePriceBook(text)).toThrow(message);
});
