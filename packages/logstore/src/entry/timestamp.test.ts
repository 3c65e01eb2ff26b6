import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTimestampSequence, formatTimestamp, normalizeTimestamp, timestampMs } from './timestamp.ts';

describe('normalizeTimestamp', () => {
  test.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000000000Z'],
    ['2026-01-31t12:00:00.5z', '2026-01-31T12:00:00.500000000Z'],
    ['2026-01-31T12:00:00.123456789+05:30', '2026-01-31T06:30:00.123456789Z'],
    ['2026-01-31T23:59:59.999999999-00:01', '2026-02-01T00:00:59.999999999Z'],
    ['2026-01-31T12:00:00.1234567899Z', '2026-01-31T12:00:00.123456789Z'],
    ['1969-12-31T23:59:59.9Z', '1969-12-31T23:59:59.900000000Z'],
    ['2016-12-31T23:59:60.25Z', '2017-01-01T00:00:00.250000000Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00.000000000Z'],
    ['0000-01-01T00:00:00.7+01:00', '0000-01-01T00:00:00.000000000Z'],
    ['9999-12-31T23:59:59-01:00', '9999-12-31T23:59:59.999999999Z'],
  ])('%s is %s', (text, expected) => {
    expect(normalizeTimestamp(text)).toBe(expected);
  });

  test.each([
    '',
    'now',
    '2026-01-31',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '1769860800',
    '2026-01-31T12:00Z',
  ])('refuses %j', (text) => {
    expect(() => normalizeTimestamp(text)).toThrow(RangeError);
  });

  test('the order of the texts is the order of the times', () => {
    const time = fc.record({ ms: fc.integer({ min: -1e12, max: 4e12 }), nanos: fc.integer({ min: 0, max: 999_999 }) });
    fc.assert(
      fc.property(time, time, (a, b) => {
        const [left, right] = [formatTimestamp(a.ms, a.nanos), formatTimestamp(b.ms, b.nanos)];
        const order = a.ms - b.ms || a.nanos - b.nanos;
        expect(left < right).toBe(order < 0);
        expect(normalizeTimestamp(left)).toBe(left);
        expect(timestampMs(left)).toBe(a.ms);
      }),
    );
  });
});

describe('createTimestampSequence', () => {
  test('rises strictly, whatever the clock does', () => {
    const odd = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, -1e300);
    const clock = fc.array(fc.oneof(fc.double({ min: 0, max: 4e12, noNaN: true }), odd), { minLength: 1 });
    fc.assert(
      fc.property(clock, (times) => {
        const sequence = createTimestampSequence();
        const handedOut = times.map((time) => sequence.next(time));
        expect(handedOut).toEqual([...new Set(handedOut)].sort());
        expect(sequence.last).toBe(handedOut.at(-1));
      }),
    );
  });

  test('follows the clock, goes on after what it is given, and carries', () => {
    const sequence = createTimestampSequence('2026-01-31T12:00:00.000999998Z');
    expect(sequence.next(0)).toBe('2026-01-31T12:00:00.000999999Z');
    expect(sequence.next(0)).toBe('2026-01-31T12:00:00.001000000Z');
    expect(sequence.next(Date.parse('2026-01-31T12:00:00.001Z') + 0.9)).toBe('2026-01-31T12:00:00.001000001Z');
    expect(sequence.next(Date.parse('2026-01-31T12:00:01Z'))).toBe('2026-01-31T12:00:01.000000000Z');
  });
});
