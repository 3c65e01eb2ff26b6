import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { costUsd, findPrice, readPriceFile } from './price-book.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'berth-prices-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = async (text: string) => {
  const file = path.join(folder, 'prices.json');
  await writeFile(file, text);
  return file;
};

test('a file is read, and what a model cost follows from it', async () => {
  const book = readPriceFile(
    await write(
      '{"models":{"gpt-x":{"input":2,"output":10,"cached_input":0.5,"context":400000},"c":{"input":3,"output":15}}}',
    ),
  );
  const price = findPrice(book, 'gpt-x');
  const usage = { input: 1_000_000, cachedInput: 400_000, cacheWrite: 100_000, output: 100_000 };
  // Half a million plain, written to the cache as plain, the rest from it.
  expect(costUsd(usage, price as NonNullable<typeof price>)).toBeCloseTo(1 + 0.2 + 0.2 + 1, 9);
});

test.each([
  ['gpt-x', 1],
  ['gpt-x-2026-01-01', 1],
  ['gpt-x:latest', 1],
  ['gpt-x-mini', 2],
  ['gpt-x-mini-2026', 2],
  ['gpt-xl', undefined],
  ['toString', undefined],
])('%s costs %s', (model, input) => {
  const book = { models: { 'gpt-x': { input: 1, output: 1 }, 'gpt-x-mini': { input: 2, output: 2 } } };
  expect(findPrice(book, model)?.input).toBe(input);
});

test.each([
  ['{"models":', 'cannot be read'],
  ['{"models":{"m":{"input":-1,"output":1}}}', 'is invalid'],
  ['{"models":{"m":{"input":1}}}', 'is invalid'],
  ['{"models":{"m":{"input":1,"output":1,"inptu":1}}}', 'inptu'],
  ['[]', 'is invalid'],
])('%s is refused with its reason', async (text, words) => {
  const file = await write(text);
  expect(() => readPriceFile(file)).toThrow(words);
  expect(() => readPriceFile(file)).toThrow(file);
});
