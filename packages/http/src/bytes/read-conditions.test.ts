import { expect, test } from 'vitest';
import { evaluateConditions, isRangeWanted } from './read-conditions.ts';

const updatedAtMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const version = { etag: '"v1"', updatedAtMs };
const at = (seconds: number) => new Date(Math.floor(updatedAtMs / 1_000) * 1_000 + seconds * 1_000).toUTCString();

test.each<[number, Record<string, string>]>([
  [200, {}],
  [304, { 'if-none-match': '"v1"' }],
  [304, { 'if-none-match': 'W/"v1"' }],
  [304, { 'if-none-match': '"x", "v1"' }],
  [304, { 'if-none-match': '*' }],
  [200, { 'if-none-match': '"x"' }],
  [200, { 'if-none-match': 'v1' }],
  [200, { 'if-match': '"v1"' }],
  [200, { 'if-match': '*' }],
  [412, { 'if-match': '"x"' }],
  [412, { 'if-match': 'W/"v1"' }],
  [304, { 'if-modified-since': at(0) }],
  [304, { 'if-modified-since': at(1) }],
  [200, { 'if-modified-since': at(-1) }],
  [200, { 'if-modified-since': 'yesterday' }],
  [200, { 'if-unmodified-since': at(0) }],
  [412, { 'if-unmodified-since': at(-1) }],
  // The tags outweigh the times.
  [200, { 'if-none-match': '"x"', 'if-modified-since': at(1) }],
  [200, { 'if-match': '"v1"', 'if-unmodified-since': at(-1) }],
  [412, { 'if-match': '"x"', 'if-none-match': '"v1"' }],
])('%i for %j', (status, headers) => {
  expect(evaluateConditions(headers, version)).toBe(status);
});

test.each<[boolean, string | undefined]>([
  [true, undefined],
  [true, '"v1"'],
  [false, '"x"'],
  [false, 'W/"v1"'],
  [true, at(0)],
  [false, at(1)],
  [false, at(-1)],
  [false, 'nonsense'],
])('%s: a range with If-Range %s', (isWanted, header) => {
  expect(isRangeWanted(header, version)).toBe(isWanted);
});
