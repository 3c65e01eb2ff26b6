import { expect, test } from 'vitest';
import type { LogFilter } from './log-filter.ts';
import { parseFilter } from './parse-filter.ts';
import { toSql } from './to-sql.ts';

// DuckDB skips row groups by their statistics only for plain comparisons of a column: no function around it, no coalesce, and a
// range where there is one. Fails when `high - low + 1` is another number, or when a severity is written with coalesce.
test.each<[filter: string, sql: string, values: (string | number)[]]>([
  ['severity>=ERROR', '(severity >= 5)', []],
  ['severity<=INFO', '(severity >= 0 AND severity <= 2)', []],
  ['severity=ERROR', '(severity >= 5 AND severity <= 5)', []],
  ['severity=~"^E"', '(severity IN (5, 8))', []],
  ['severity=~"^(DEF|DEB|N)"', '(severity IN (0, 1, 3))', []],
  ['severity=~"^x"', '(false)', []],
  ['timestamp>=2026-01-31', '(timestamp >= $1::TIMESTAMP_NS)', ['2026-01-31T00:00:00.000000000']],
  ['timestamp<"0001-01-01T00:00:00Z"', '(timestamp < $1::TIMESTAMP_NS)', ['1677-09-22T00:00:00.000000000']],
  ['timestamp<"9999-01-01T00:00:00Z"', '(timestamp < $1::TIMESTAMP_NS)', ['2262-04-11T00:00:00.000000000']],
])('%s is a condition that skips row groups', (filter, sql, values) => {
  expect(toSql(parseFilter(filter) as LogFilter, 'tag')).toEqual({ sql, values });
});

// Fails when isInsertId is false: the id column is computed for every row.
test.each(['insertId="tag10"', 'tag10'])('%s compares the time that the id stands for', (filter) => {
  const { sql, values } = toSql(parseFilter(filter) as LogFilter, 'tag');
  expect(sql).toContain(`timestamp = make_timestamp_ns($${values.indexOf('36') + 1}::BIGINT)`);
  expect(sql).not.toContain('insert_id');
});

// Looking for a text in the whole payload costs less than parsing its JSON. Fails when a number is looked for as it was written, since
// 5 is found as 5.0, too.
test.each([
  ['jsonPayload.a=Long', true],
  ['jsonPayload.a:Long', true],
  ['jsonPayload.a.b=Long', true],
  ['jsonPayload.a>Long', false],
  ['jsonPayload.a<=Long', false],
  ['jsonPayload.a=~"Long"', false],
  ['jsonPayload.a=5', false],
  ['jsonPayload.a:5', false],
  ['jsonPayload.a=true', false],
  ['jsonPayload.a=""', false],
  ['jsonPayload.a=NULL_VALUE', false],
])('%s is looked for in the payload first: %s', (filter, isGuarded) => {
  const { sql, values } = toSql(parseFilter(filter) as LogFilter, 'tag');
  expect(sql.startsWith('coalesce(CASE WHEN contains(lower(json_payload), ')).toBe(isGuarded);
  if (isGuarded) expect(values.at(-1)).toBe('long');
});

// Fails when rows pay for lists that the path can't go through, or for kinds of values that can't be equal.
test.each([
  ['jsonPayload.a>5', /'\[\*\]'.*way|BOOLEAN/],
  ['jsonPayload.a.0>5', /way/],
  ['jsonPayload.a>true', /BOOLEAN/],
  ['jsonPayload.a=x', /BOOLEAN|DOUBLE/],
])('%s has no more cases than it needs', (filter, surplus) => {
  expect(toSql(parseFilter(filter) as LogFilter, 'tag').sql).not.toMatch(surplus);
});
