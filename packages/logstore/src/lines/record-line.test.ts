import { SEVERITIES } from '@berth/contract';
import { expect, test } from 'vitest';
import type { LogInput } from '../entry/log-entry.ts';
import { decodeLine, encodeBody, encodeLine, jsonOfLine, readLineHead, toStoredEntry } from './record-line.ts';

const TIME = '2026-01-31T12:34:56.789012345Z';
const ENTRY: LogInput = {
  logName: 'stdout',
  severity: 'WARNING',
  message: 'm',
  revision: 'r',
  instance: 'i',
  trace: 't',
};

const lineOf = (input: LogInput) => Buffer.from(encodeLine(TIME, encodeBody(input)));

// Fails when the time of the event is stored beside the timestamp: readers would see two times.
test('a line has every field of its entry but the time it was given', () => {
  const full = { ...ENTRY, jsonPayload: { a: ['ü', '\u2028', 1e21] }, labels: { k: 'v' } };
  expect(decodeLine(lineOf({ ...full, timeMs: 1 }))).toEqual({ timestamp: TIME, ...full });
});

// Fails when the part that is left out takes the rest of the entry with it, or isn't mentioned.
test.each([
  ['a cycle', cycle],
  ['a bigint', () => ({ big: 1n })],
  ['more than a mebibyte', () => ({ text: 'x'.repeat(1_048_577) })],
])('a payload with %s is left out, and the entry says so', (_what, payload) => {
  expect(decodeLine(lineOf({ ...ENTRY, jsonPayload: payload() }))).toEqual({
    ...{ timestamp: TIME, ...ENTRY, labels: { truncated: 'true' } },
  });
});

function cycle(): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  made['self'] = made;
  return made;
}

// Fails when the bound is on the message alone, or cut text is longer than a page of entries may be.
test('a message is cut where the entry is too long, at the limit and not before', () => {
  const bare = encodeBody({ ...ENTRY, message: '' }).length;
  const fits = 'x'.repeat(1_048_576 - bare);
  expect(decodeLine(lineOf({ ...ENTRY, message: fits }))?.message).toBe(fits);
  const cut = decodeLine(lineOf({ ...ENTRY, message: `${fits}x` }));
  expect([cut?.message, cut?.labels]).toEqual(['x'.repeat(131_072), { truncated: 'true' }]);
});

// Fails when a line that a crash cut, or a disk changed, is taken for an entry.
test('a line is an entry only when it is whole and unchanged', () => {
  const line = lineOf(ENTRY);
  const text = line.toString();
  expect(jsonOfLine(line)?.toString()).toBe(text.slice(9, -1));
  for (const damaged of ['', '\n', text.slice(0, -1), text.slice(1), text.replace('WARNING', 'WARNINg'), `0${text}`]) {
    expect([damaged, decodeLine(Buffer.from(damaged)), readLineHead(Buffer.from(damaged))]).toEqual([
      ...[damaged, undefined, undefined],
    ]);
  }
});

// Fails when the short way reads another severity than the entry has: counts and entries would contradict each other.
test('the head of a line is that of its entry, however it was written', () => {
  for (const severity of SEVERITIES) {
    expect(readLineHead(lineOf({ ...ENTRY, severity }))).toEqual({ timestamp: TIME, severity });
  }
  // Written with other fields first, or with a severity that came later: read whole.
  const reordered = encodeLine(TIME, '{"message":"\\"severity\\":\\"ERROR\\"","logName":"stdout","severity":"INFO"}');
  expect(readLineHead(Buffer.from(reordered))).toMatchObject({ timestamp: TIME, severity: 'INFO' });
  const unknown = encodeLine(TIME, '{"logName":"stdout","severity":"FATAL","message":""}');
  expect(readLineHead(Buffer.from(unknown))).toMatchObject({ timestamp: TIME, severity: 'FATAL' });
});

// Fails when ids depend on the milliseconds alone: entries of one millisecond would share one.
test('ids differ by nanosecond and by log, and are the same each time', () => {
  const idOf = (timestamp: string, tag: string) => toStoredEntry({ ...ENTRY, timestamp }, tag).insertId;
  const next = TIME.replace('345Z', '346Z');
  const ids = [idOf(TIME, 'aaaaaa'), idOf(next, 'aaaaaa'), idOf(TIME, 'bbbbbb')];
  expect(new Set(ids).size).toBe(3);
  expect(idOf(TIME, 'aaaaaa')).toBe(ids[0]);
  expect(ids[0]).toMatch(/^aaaaaa[0-9a-z]+$/);
  const nanos = BigInt(Date.parse('2026-01-31T12:34:56.789Z')) * 1_000_000n + 12_345n;
  expect(ids[0]).toBe(`aaaaaa${nanos.toString(36)}`);
});
