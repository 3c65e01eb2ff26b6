import { describe, expect, test } from 'vitest';
import { buildFilter, findUnbalanced, readFilterProblem } from './build-filter.ts';
import { completeFilter } from './complete-filter.ts';
import { filterBy, writePath } from './filter-by.ts';
import { brushRange, chooseStep, readCounts, stepsOf, toHistogram } from './histogram.ts';
import { countSql, entrySql, readKnownFields } from './log-queries.ts';
import { parseLogsView, rangeMs, toLogsSearch } from './logs-view.ts';

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

  test('what can not be is the usual', () => {
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
  test('keeps the person’s own apart from severity and times', () => {
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

  test('errors are told at their place in what was written', () => {
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
  const known = new Map([['jsonPayload.user.id', ['u-1', 'u-2']]]);
  const options = (text: string) =>
    completeFilter(text, text.length, known)?.options.map((option) => option.text) ?? [];
  test.each([
    ['sev', ['severity']],
    ['severity>=E', ['ERROR', 'EMERGENCY']],
    ['user', ['httpRequest.userAgent', 'jsonPayload.user.id']],
    ['a AND jsonPayload.user.id="u-1', ['"u-1"']],
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
});

describe('the histogram', () => {
  test('has a step for all of the range, and at most 72', () => {
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

  test('what the API counted in whole steps keeps its place, and a brush in either direction is a range', () => {
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

describe('what is asked in SQL', () => {
  test('names can not leave their text', () => {
    expect(countSql("o'clock", 'ALERT', 0, 60_000)).toContain("service_name = 'o''clock'");
    expect(countSql('shop', 'ALERT', 0, 60_000)).toContain("severity IN ('ALERT', 'EMERGENCY')");
  });

  test('an entry is found by the nanoseconds of its timestamp', () => {
    const suffix = 1_795_297_221_038_000_390n.toString(36);
    expect(entrySql('shop', '2026-11-21T21:40:21.038000390Z')).toContain(`ends_with(insert_id, '${suffix}')`);
  });

  test('fields of lists are one field, with the values that were seen', () => {
    const known = readKnownFields([
      { path: '$.items[0].n', value: 1 },
      { path: '$.items[1].n', value: 2 },
      { path: '$."a b"', value: 'x' },
    ]);
    expect([...known]).toEqual([
      ['jsonPayload.items.n', ['1', '2']],
      ['jsonPayload."a b"', ['x']],
    ]);
  });
});
