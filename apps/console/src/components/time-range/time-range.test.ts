import { expect, test } from 'vitest';
import { toRange } from './move-range.ts';
import { isTime, parseRange, type Range, rangeMs, SPANS, toRangeSearch } from './time-range.ts';

const FROM = '2026-01-31T10:00:00.000Z';
const TO = '2026-01-31T12:00:00.000Z';

// Each row fails when the two times aren't both checked, or win although they are invalid.
test.each<[string, string, string, Range | undefined]>([
  ['', '', '', undefined],
  ['1h', '', '', { last: '1h' }],
  ['30d', '', '', { last: '30d' }],
  ['2h', '', '', undefined],
  ['toString', '', '', undefined],
  ['', FROM, TO, { from: FROM, to: TO }],
  ['1h', FROM, TO, { from: FROM, to: TO }],
  ['1h', TO, FROM, { last: '1h' }],
  ['', FROM, FROM, undefined],
  ['6h', FROM, '', { last: '6h' }],
  ['6h', '', TO, { last: '6h' }],
  ['', FROM, 'now', undefined],
])('?range=%s&from=%s&to=%s is %j', (last, from, to, range) => {
  expect(parseRange(last, from, to)).toEqual(range);
});

// Fails when a range is written under other names than it is read from.
test.each<Range>([{ last: '15m' }, { last: '7d' }, { from: FROM, to: TO }])('%j survives the address', (range) => {
  const search = toRangeSearch(range);
  expect(parseRange(search['range'] ?? '', search['from'] ?? '', search['to'] ?? '')).toEqual(range);
});

test.each<[string, boolean]>([
  [FROM, true],
  ['2026-01-31T10:00:00Z', true],
  ['2026-01-31T10:00:00.123456789Z', true],
  ['2026-01-31T10:00:00.1234567890Z', false],
  ['2026-01-31T10:00:00+01:00', false],
  ['2026-13-31T10:00:00Z', false],
  ['2026-01-31', false],
  ['', false],
])('%s is a time in UTC: %s', (text, expected) => {
  expect(isTime(text)).toBe(expected);
});

// Fails when a span doesn't end now, or exact times move with the clock.
test('a span ends now; exact times stay', () => {
  const nowMs = Date.parse(TO);
  expect(rangeMs({ last: '1h' }, nowMs)).toEqual({ fromMs: nowMs - SPANS['1h'], toMs: nowMs });
  expect(rangeMs({ from: FROM, to: TO }, nowMs + 1_000)).toEqual({ fromMs: Date.parse(FROM), toMs: nowMs });
});

// Fails when a range may be empty: the server refuses it.
test('a range has at least a second, and whole milliseconds', () => {
  const at = Date.parse(FROM);
  expect(toRange(at, at)).toEqual({ from: FROM, to: '2026-01-31T10:00:01.000Z' });
  expect(toRange(at + 0.4, at + 5_000.6)).toEqual({ from: FROM, to: '2026-01-31T10:00:05.001Z' });
});
