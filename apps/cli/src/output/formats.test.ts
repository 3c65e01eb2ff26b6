import { expect, test } from 'vitest';
import { parseSpanMs } from '../flags/read-moment.ts';
import { formatAge } from './format-age.ts';
import { formatBytes } from './format-bytes.ts';
import { formatDuration } from './format-duration.ts';
import { createInstancePaint, formatLogEntry } from './format-log-entry.ts';
import { formatTable } from './format-table.ts';
import { createStyle, hasColor } from './style.ts';

const plain = createStyle({ hasColor: false, hasUnicode: true });

test('bytes', () => {
  expect([0, 1023, 1024, 1_500_000, 104_857_600, 5 * 2 ** 40].map(formatBytes)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.4 MiB',
    '100 MiB',
    '5.0 TiB',
  ]);
});

test('durations, without ever a 60 in them', () => {
  expect([0, 9_940, 9_960, 59_400, 59_600, 119_700, 3_599_600, 7_260_000].map(formatDuration)).toEqual([
    '0.0s',
    '9.9s',
    '10s',
    '59s',
    '1m 00s',
    '2m 00s',
    '1h 00m',
    '2h 01m',
  ]);
});

test('ages', () => {
  const nowMs = Date.parse('2026-01-31T12:00:00Z');
  const ages = ['2026-01-31T12:00:05Z', '2026-01-31T11:59:20Z', '2026-01-31T09:00:00Z', '2025-12-31T12:00:00Z', 'soon'];
  expect(ages.map((time) => formatAge(time, nowMs))).toEqual(['0s ago', '40s ago', '3h ago', '31d ago', 'soon']);
});

test('spans', () => {
  expect(['30s', '30m', '1h30m', '7d', '2w'].map(parseSpanMs)).toEqual([30e3, 18e5, 54e5, 6048e5, 12096e5]);
  expect(['', '30', 'm', '1.5h', '-1h', '2026-01-01T00:00:00Z', '1y'].map(parseSpanMs)).toEqual(
    Array(7).fill(undefined),
  );
});

test('a table lines up, and a cell cannot break it', () => {
  const columns = [
    { heading: 'NAME', text: (row: readonly string[]) => row[0] ?? '' },
    { heading: 'URL', text: (row: readonly string[]) => row[1] ?? '' },
  ];
  const rows = [
    ['a\nb\x1b[2J', 'http://a'],
    ['longer-name', 'http://b'],
  ];
  expect(formatTable(rows, columns, plain)).toBe('NAME         URL\na b          http://a\nlonger-name  http://b');
});

test('a log line is whole for programs and short for people', () => {
  const entry = { timestamp: '2026-01-31T12:00:00.123456789Z', severity: 'WARNING', message: 'a\x1b[2J\nb' } as const;
  expect(formatLogEntry(entry, { style: plain, isForPeople: false })).toBe(
    '2026-01-31T12:00:00.123456789Z WARNING a\nb',
  );
  expect(formatLogEntry(entry, { style: plain, isForPeople: true })).toMatch(
    /^\d\d-\d\d \d\d:\d\d:\d\d\.123 WARNING {2}a\n {2}b$/,
  );
});

test('an entry has its instance where it was asked for, in a color of its own', () => {
  const colour = createStyle({ hasColor: true, hasUnicode: true });
  const look = { style: colour, isForPeople: false, paintInstance: createInstancePaint(colour) };
  const entry = { timestamp: '2026-01-31T12:00:00Z', severity: 'INFO', message: 'a' } as const;
  const at = (instance: string | null) => formatLogEntry({ ...entry, instance }, look).split(' ')[1];
  expect([at('inst_1'), at('inst_2'), at('inst_1'), at(null)]).toEqual([
    ...[colour.cyan('inst_1'), colour.magenta('inst_2'), colour.cyan('inst_1'), '-'],
  ]);
  expect(at('\x1b[2Jinst')).not.toContain('\x1b[2J');
});

test('a request has its status in color, and is the same text without', () => {
  const colour = createStyle({ hasColor: true, hasUnicode: true });
  const look = (message: string, style = colour) =>
    formatLogEntry(
      { timestamp: '2026-01-31T12:00:00.123456789Z', severity: 'INFO', message },
      { style, isForPeople: true },
    ).slice('01-31 12:00:00.123'.length);
  expect(look('GET /a?b=c 200 12 ms', plain)).toBe(' INFO     GET /a?b=c 200 12 ms');
  expect(look('GET /a 200 12 ms')).toContain(colour.green('200'));
  expect(look('GET /a 404 12 ms')).toContain(colour.yellow('404'));
  expect(look('POST /a 503 1500 ms (cold start 80 ms)')).toContain(colour.red('503'));
  expect(look('GET the 404 12 ms story')).not.toContain(colour.yellow('404'));
});

test('color is for terminals, unless somebody says otherwise', () => {
  const wishes = { isRefused: false, noColor: undefined, forceColor: undefined, terminal: 'xterm', isTty: true };
  expect(hasColor(wishes)).toBe(true);
  expect(hasColor({ ...wishes, isTty: false })).toBe(false);
  expect(hasColor({ ...wishes, terminal: 'dumb' })).toBe(false);
  expect(hasColor({ ...wishes, noColor: '1' })).toBe(false);
  expect(hasColor({ ...wishes, noColor: '' })).toBe(true);
  expect(hasColor({ ...wishes, isRefused: true, forceColor: '1' })).toBe(false);
  expect(hasColor({ ...wishes, isTty: false, forceColor: '1' })).toBe(true);
});
