import { describe, expect, test } from 'vitest';
import { toEntryFields } from './entry-fields.ts';
import { filterBy, filterByTrace, writePath } from './filter-by.ts';
import { createMomentFormat } from './format-moment.ts';
import { readKnownFields } from './known-fields.ts';
import { entrySql } from './log-queries.ts';
import { parseLogsView } from './logs-view.ts';
import { groupOf, SEVERITY_GROUPS } from './severities.ts';
import { toCommands, toFieldCommands } from './to-cli.ts';

const quote = (text: string) => `'${text}'`;

describe('severities', () => {
  // Fails when the bound between warnings and errors moves.
  test.each([
    ['DEFAULT', 'info'],
    ['NOTICE', 'info'],
    ['WARNING', 'warning'],
    ['ERROR', 'error'],
    ['EMERGENCY', 'error'],
    ['LOUD', 'info'],
  ])('%s is colored as %s', (severity, group) => {
    expect(groupOf(severity)).toBe(group);
    expect(SEVERITY_GROUPS).toContain(group);
  });
});

describe('the fields of an entry', () => {
  // Fails when children don't follow their parent, or columns keep their names of SQL.
  test('are a flat list in order, in the words of the filter language', () => {
    const row = {
      timestamp: '2026-01-01T00:00:00Z',
      severity: 'INFO',
      text_payload: null,
      json_payload: { user: { 'a b': 1 }, gone: null },
      http_request: { status: 200, latency: null },
    };
    expect(toEntryFields(row).map(({ path, depth, value }) => [path, depth, value])).toEqual([
      ['severity', 0, 'INFO'],
      ['jsonPayload', 0, undefined],
      ['jsonPayload.user', 1, undefined],
      ['jsonPayload.user."a b"', 2, 1],
      ['jsonPayload.gone', 1, null],
      ['httpRequest', 0, undefined],
      ['httpRequest.status', 1, 200],
    ]);
  });

  // Fails when an entry of a thousand fields freezes the page.
  test('are at most five hundred', () => {
    const json_payload = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, index]));
    expect(toEntryFields({ json_payload })).toHaveLength(500);
  });
});

describe('a filter that a press makes', () => {
  // Fails when a value of another type is quoted, or a quoted one isn't escaped.
  test.each<[unknown, string]>([
    ['x"y', 'f="x\\"y"'],
    [200, 'f=200'],
    [true, 'f=true'],
    [null, 'f=NULL_VALUE'],
  ])('compares with %j', (value, filter) => {
    expect(filterBy('', 'f', value)).toBe(filter);
    expect(filterBy(' ', 'f', value, false)).toBe(`NOT ${filter}`);
  });

  test('matches the entries of a request', () => {
    expect(filterByTrace('a"b')).toBe('trace="a\\"b"');
  });

  // Fails when a name that would begin a comment isn't quoted.
  test.each([
    [['a', 'b-c', 'd/e'], 'a.b-c.d/e'],
    [['a', 'b--c'], 'a."b--c"'],
    [['a.b'], '"a.b"'],
    [[''], '""'],
  ])('names the path %j', (segments, path) => {
    expect(writePath(segments)).toBe(path);
  });
});

// Fails when numbers or severities are quoted: the filter would match nothing.
test('known values are written as in a filter', () => {
  const field = (name: string, ...values: (string | number | boolean)[]) => ({
    ...{ name, entries: 3, has_more: name === 'logName' },
    values: values.map((value) => ({ value, entries: 1 })),
  });
  const known = readKnownFields({
    entries: 3,
    is_sampled: false,
    fields: [field('severity', 'ERROR'), field('logName', 'stdout'), field('httpRequest.status', 200, true)],
  });
  expect([...known.keys()]).toEqual(['severity', 'logName', 'httpRequest.status']);
  expect([...known.values()].map(({ values }) => values.map(({ text }) => text))).toEqual([
    ['ERROR'],
    ['"stdout"'],
    ['200', 'true'],
  ]);
  expect([...known.values()].map(({ hasMore }) => hasMore)).toEqual([false, true, false]);
});

describe('the time of an entry', () => {
  const nowMs = Date.parse('2026-01-31T12:00:00Z');

  // Fails when yesterday's entries look like today's.
  test('has its date unless it is today’s', () => {
    const format = createMomentFormat('en', nowMs, true);
    expect(format('2026-01-31T09:05:07.250Z')).toBe('09:05:07.250');
    expect(format('2026-01-30T23:59:59.999Z')).toBe('01/30, 23:59:59.999');
  });

  // Fails when the day is that of another zone than the time.
  test('is today’s in the zone that is shown', () => {
    const format = createMomentFormat('en', Date.parse('2026-01-31T23:30:00Z'), true);
    expect(format('2026-01-31T00:00:00.001Z')).toBe('00:00:00.001');
    expect(format('2026-02-01T00:00:00Z')).toContain('02/01');
  });
});

describe('the commands of a view', () => {
  const view = (search: object) => parseLogsView({ deployment: 'shop', ...search });

  // Fails when the command shows other entries than the page.
  test.each([
    [{}, "npx berth logs 'shop' --since 1h", undefined],
    [{ live: 'on' }, "npx berth logs 'shop' -f", undefined],
    [{ severity: 'ERROR' }, "npx berth logs 'shop' --since 1h -q 'severity>=ERROR'", 'severity>=ERROR'],
    [{ filter: 'a=1' }, "npx berth logs 'shop' --since 1h -q '(a=1)'", '(a=1)'],
    [{ filter: 'a=1 -- why' }, "npx berth logs 'shop' --since 1h -q '(a=1 -- why\n)'", '(a=1 -- why\n)'],
  ])('of %j', (search, cli, query) => {
    const { http, ...commands } = toCommands(view(search), quote);
    expect(commands.cli).toBe(cli);
    expect(http).toEqual({
      method: 'POST',
      path: '/v1/deployment/logs',
      body: { deployment_name: 'shop', limit: 1_000, ...(query !== undefined && { query }) },
    });
  });

  // Fails when the exact times are missing in the call, which has no `since` of its own.
  test('of exact times bound both ends', () => {
    const [from, to] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    const { cli, http } = toCommands(view({ from, to }), quote);
    expect(cli).toBe(`npx berth logs 'shop' --since ${from} -q 'timestamp<="${to}"'`);
    expect(http.body).toMatchObject({ query: `timestamp>="${from}" AND timestamp<="${to}"` });
  });

  test('list its fields', () => {
    const span = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
    const { cli, http } = toFieldCommands(view({ filter: 'a=1', range: '7d' }), span, quote);
    expect(cli).toBe("npx berth logs 'shop' --fields --since 7d -q '(a=1\n)'");
    expect(http).toEqual({
      method: 'POST',
      path: '/v1/deployment/logs/fields',
      body: { deployment_name: 'shop', ...span, query: '(a=1\n)' },
    });
  });
});

// Fails when a name with a quote ends the literal: a query could read what it names.
test('the query of an entry quotes what it is given', () => {
  expect(entrySql("a'; DROP TABLE logs --", '2026-01-01T00:00:00.5Z')).toContain(
    "service_name = 'a''; DROP TABLE logs --' AND",
  );
});
