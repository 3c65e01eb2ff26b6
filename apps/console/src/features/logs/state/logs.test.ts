import { describe, expect, test } from 'vitest';
import { shiftRange, widenRange } from '../../../components/time-range/move-range.ts';
import { parseMoment } from '../../../components/time-range/parse-moment.ts';
import { rangeMs } from '../../../components/time-range/time-range.ts';
import { buildFilter, findUnbalanced, readFilterProblem } from './build-filter.ts';
import { completeFilter, findWrittenValue } from './complete-filter.ts';
import { filterBy, writePath } from './filter-by.ts';
import { brushRange, chooseStep, moveBrush, readCounts, stepsOf, toHistogram } from './histogram.ts';
import { readKnownFields } from './known-fields.ts';
import { entrySql } from './log-queries.ts';
import { keepLogsLook, readLogsLook, USUAL_LOOK } from './logs-look.ts';
import { parseLogsView, toLogsSearch } from './logs-view.ts';

describe('the view in the address', () => {
  test.each([
    {},
    { deployment: 'shop', filter: 'a="b&c"', severity: 'ERROR', live: 'on' },
    {
      deployment: 'shop',
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
      entry: '2026-01-01T01:00:00.123456789Z',
    },
    { range: '7d' },
  ])('%j comes back as it was', (search) => {
    expect(toLogsSearch(parseLogsView(search))).toEqual(search);
  });

  test('an invalid value gets its default', () => {
    const view = parseLogsView({
      range: 'constructor',
      severity: 'LOUD',
      entry: 'x',
      from: '2026-01-02T00:00:00Z',
      to: '2026-01-01T00:00:00Z',
    });
    expect(toLogsSearch(view)).toEqual({});
    expect(parseLogsView({ live: 'on', from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }).isLive).toBe(false);
    expect(rangeMs({ last: '1h' }, 3_600_000)).toEqual({ fromMs: 0, toMs: 3_600_000 });
  });
});

describe('the filter that is sent', () => {
  test('isolates the person’s filter from severity and times', () => {
    expect(buildFilter({ filter: '', severity: 'DEFAULT' })).toBeUndefined();
    expect(buildFilter({ filter: 'a OR b -- c', severity: 'ERROR' }, { from: '1', before: '2' })).toBe(
      '(a OR b -- c\n) AND severity>=ERROR AND timestamp>="1" AND timestamp<"2"',
    );
  });

  test.each([
    ['a) OR (b', 1],
    ['(a', 0],
    ['"(" AND ")" -- (', undefined],
    ['a="x', 2],
    [String.raw`a="\""`, undefined],
  ])('%s is unbalanced at %s', (filter, at) => {
    expect(findUnbalanced(filter)?.at).toBe(at);
  });

  test('errors have their position in the typed text', () => {
    const error = (msg: string) => ({ details: { issues: [{ loc: ['body', 'query'], msg }] } });
    expect(readFilterProblem(error('there is no field "x", at column 2'), 'x=1')).toEqual({
      message: 'there is no field "x"',
      at: 0,
    });
    expect(readFilterProblem(error('expected a value after >=, found ")", at column 13'), 'severity>=')).toEqual({
      message: 'expected a value after >=, found the end of the filter',
      at: 10,
    });
    expect(readFilterProblem(new Error('down'), 'a')).toBeUndefined();
  });

  test('is narrowed by a field of an entry', () => {
    expect(filterBy('', 'severity', 'ERROR')).toBe('severity="ERROR"');
    expect(filterBy('a -- b', writePath(['jsonPayload', 'a b', 'c']), 'x"y', false)).toBe(
      'a -- b\nAND NOT jsonPayload."a b".c="x\\"y"',
    );
    expect(filterBy('a', 'jsonPayload.n', null)).toBe('a AND jsonPayload.n=NULL_VALUE');
  });
});

describe('completion', () => {
  const field = (name: string, values: readonly (readonly [string | number, number])[]) => ({
    name,
    entries: 9,
    has_more: false,
    values: values.map(([value, entries]) => ({ value, entries })),
  });
  const known = readKnownFields({
    entries: 9,
    is_sampled: false,
    fields: [
      field('jsonPayload.user.id', [
        ['u-1', 5],
        ['u-2', 4],
      ]),
      field('jsonPayload.n', [[7, 9]]),
      field('severity', [['INFO', 9]]),
    ],
  });
  const options = (text: string) =>
    completeFilter(text, text.length, known)?.options.map((option) => option.text) ?? [];
  test.each([
    ['sev', ['severity']],
    ['severity>=E', ['ERROR', 'EMERGENCY']],
    ['user', ['httpRequest.userAgent', 'jsonPayload.user.id']],
    ['a AND jsonPayload.user.id="u-1', ['"u-1"']],
    ['jsonPayload.user.id=u', ['"u-1"', '"u-2"']],
    ['jsonPayload.n>=', ['7']],
    ['logName=st', ['"stdout"', '"stderr"']],
    ['message="some words sev', []],
    ['-- sev', []],
    ['message:x AN', ['AND']],
  ])('%s: %j', (text, expected) => {
    expect(expected.length === 0 ? options(text) : options(text).slice(0, expected.length).toSorted()).toEqual(
      expected.toSorted(),
    );
  });

  test('a whole field is followed by an operator', () => {
    expect(completeFilter('severity', 8, known)).toMatchObject({
      from: 8,
      options: expect.arrayContaining([{ text: '>=', kind: 'operator' }]),
    });
  });

  test('known values have counts and are sorted by frequency; severities keep their order', () => {
    expect(completeFilter('jsonPayload.user.id=', 20, known)?.options).toEqual([
      { text: '"u-1"', kind: 'value', count: 5 },
      { text: '"u-2"', kind: 'value', count: 4 },
    ]);
    expect(completeFilter('jsonP', 5, known)?.options[0]).toEqual({
      text: 'jsonPayload.user.id',
      kind: 'field',
      count: 9,
    });
    const severities = completeFilter('severity=', 9, known)?.options;
    expect(severities?.slice(1, 3)).toEqual([
      { text: 'DEBUG', kind: 'value' },
      { text: 'INFO', kind: 'value', count: 9 },
    ]);
  });

  test('finds the value that is being typed', () => {
    expect(findWrittenValue('a AND b.c="x', 12)).toEqual({ field: 'b.c', written: '"x' });
    expect(findWrittenValue('a b', 3)).toBeUndefined();
  });
});

describe('the histogram', () => {
  test('covers the whole range in at most 72 steps', () => {
    expect([900_000, 3_600_000, 86_400_000, 604_800_000].map(chooseStep)).toEqual([
      15_000, 60_000, 1_800_000, 14_400_000,
    ]);
    const fromMs = Date.parse('2026-01-01T00:00:30Z');
    const { buckets, most } = toHistogram(
      [
        { at: fromMs / 1000, severity: 'ALERT', n: 3 },
        { at: 1, severity: 'INFO', n: 9 },
      ],
      fromMs,
      fromMs + 3_600_000,
    );
    expect([buckets.length, buckets[0], most]).toEqual([
      61,
      { atMs: fromMs - 30_000, error: 3, warning: 0, info: 0 },
      3,
    ]);
  });

  test('counts keep their steps, and a selection in either direction is a range', () => {
    const fromMs = Date.parse('2026-01-01T00:00:30Z');
    const toMs = fromMs + 3_600_000;
    expect(stepsOf(fromMs, toMs)).toEqual({
      since: '2026-01-01T00:00:00.000Z',
      until: '2026-01-01T01:01:00.000Z',
      buckets: 61,
    });
    const rows = readCounts({ buckets: [{ time: '2026-01-01T00:01:00.000Z', counts: { WARNING: 2, DEBUG: 1 } }] });
    const histogram = toHistogram(rows, fromMs, toMs);
    expect(histogram.buckets[1]).toMatchObject({ warning: 2, info: 1, error: 0 });
    expect(brushRange(histogram, 3, 1)).toEqual({ from: '2026-01-01T00:01:00.000Z', to: '2026-01-01T00:04:00.000Z' });
  });
});

describe('SQL queries', () => {
  test('names are escaped in string literals', () => {
    expect(entrySql("o'clock", '2026-11-21T21:40:21.038000390Z')).toContain("service_name = 'o''clock'");
  });

  test('an entry is found by the nanoseconds of its timestamp', () => {
    const suffix = 1_795_297_221_038_000_390n.toString(36);
    expect(entrySql('shop', '2026-11-21T21:40:21.038000390Z')).toContain(`ends_with(insert_id, '${suffix}')`);
  });
});

describe('typed times', () => {
  const nowMs = new Date(2026, 0, 31, 12, 30).getTime();
  const local = (...parts: [number, number, number, number?, number?, number?]) => new Date(...parts).getTime();
  test.each<[string, number | undefined]>([
    ['now', nowMs],
    ['now-2h', nowMs - 7_200_000],
    ['now - 1h30m', nowMs - 5_400_000],
    ['-15m', nowMs - 900_000],
    ['2d', nowMs - 172_800_000],
    ['1.5h ago', nowMs - 5_400_000],
    ['14:00', local(2026, 0, 31, 14)],
    ['Yesterday 14:00', local(2026, 0, 30, 14)],
    ['today', local(2026, 0, 31)],
    ['أمس ٠٩:٠٥', local(2026, 0, 30, 9, 5)],
    ['2026-01-02', local(2026, 0, 2)],
    ['2026-1-2 3:04:05', local(2026, 0, 2, 3, 4, 5)],
    ['2026-01-02T03:04', local(2026, 0, 2, 3, 4)],
    ['2026-01-02T03:04:05.678Z', Date.UTC(2026, 0, 2, 3, 4, 5, 678)],
    ['2026-01-02T03:04+02:00', Date.UTC(2026, 0, 2, 1, 4)],
    ...['', 'soon', '25:00', '2026-02-30', 'yesterday noon', '2026-01-02 3:04 x', '12:60', 'constructor'].map(
      (text): [string, number | undefined] => [text, undefined],
    ),
  ])('%j is %j', (text, expected) => {
    expect(parseMoment(text, nowMs)).toBe(expected);
  });

  test('widens and shifts a range, but not beyond now', () => {
    const nowMs = Date.parse('2026-01-01T12:00:00Z');
    const range = { from: '2026-01-01T08:00:00.000Z', to: '2026-01-01T10:00:00.000Z' };
    expect(widenRange(range, nowMs)).toEqual({ from: '2026-01-01T07:00:00.000Z', to: '2026-01-01T11:00:00.000Z' });
    expect(widenRange({ last: '1h' }, nowMs)).toEqual({
      from: '2026-01-01T10:30:00.000Z',
      to: '2026-01-01T12:00:00.000Z',
    });
    expect(shiftRange(range, -1, nowMs)).toEqual({ from: '2026-01-01T07:00:00.000Z', to: '2026-01-01T09:00:00.000Z' });
    expect(shiftRange({ last: '1h' }, 1, nowMs)).toEqual({
      from: '2026-01-01T11:00:00.000Z',
      to: '2026-01-01T12:00:00.000Z',
    });
  });

  test('keys move the selection, and with Shift extend it', () => {
    const press = (key: string, shiftKey = false) => ({ key, shiftKey });
    expect(moveBrush(undefined, press('ArrowLeft'), 10)).toEqual({ anchor: 9, head: 9 });
    expect(moveBrush({ anchor: 9, head: 9 }, press('ArrowLeft', true), 10)).toEqual({ anchor: 9, head: 8 });
    expect(moveBrush({ anchor: 9, head: 8 }, press('ArrowLeft'), 10)).toEqual({ anchor: 7, head: 7 });
    expect(moveBrush({ anchor: 0, head: 0 }, press('ArrowLeft'), 10)).toEqual({ anchor: 0, head: 0 });
    expect(moveBrush({ anchor: 3, head: 3 }, press('End', true), 10)).toEqual({ anchor: 3, head: 9 });
    expect(moveBrush(undefined, press('x'), 10)).toBeUndefined();
  });

  test('keeps the display options, and replaces corrupt ones by the defaults', () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
    expect(readLogsLook(storage)).toEqual(USUAL_LOOK);
    keepLogsLook({ ...USUAL_LOOK, isWrapped: true }, storage);
    expect(readLogsLook(storage)).toEqual({ ...USUAL_LOOK, isWrapped: true });
    for (const key of kept.keys()) kept.set(key, '{"isWrapped":"yes"');
    expect(readLogsLook(storage)).toEqual(USUAL_LOOK);
  });
});
