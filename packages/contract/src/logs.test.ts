import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dateTimeSchema, logsRequestSchema, unbalancedParenthesis } from './logs.ts';
import { toValidationIssues } from './validation-issue.ts';

describe('dateTimeSchema', () => {
  test.each(['2024-02-29T00:00:00Z', '2026-12-31T23:59:60Z', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59.1Z'])(
    'takes %s',
    (text) => {
      expect(dateTimeSchema.safeParse(text).success).toBe(true);
    },
  );

  test.each(['2026-02-29T00:00:00Z', '2026-02-30T00:00:00Z', '2026-04-31T00:00:00Z', '2100-02-29T00:00:00Z'])(
    'refuses %s, which no calendar has',
    (text) => {
      const { error } = dateTimeSchema.safeParse(text);
      expect(error?.issues.map((issue) => issue.message)).toEqual(['is a day that its month does not have']);
    },
  );
});

describe('unbalancedParenthesis', () => {
  test.each([
    ['', undefined],
    ['severity>=ERROR AND (a OR (b))', undefined],
    ['message="(" -- (((', undefined],
    ['message="\\"(" OR x', undefined],
    ['-- )\n(a)', undefined],
    ['(', 1],
    ['a AND (b', 7],
    ['a) AND (b', 2],
    [')(', 1],
    ['((a)', 1],
    ['("a)', 1],
    ['"" ) ""', 4],
  ])('%j', (query, column) => {
    expect(unbalancedParenthesis(query)).toBe(column);
  });

  test('is quick for any text of the greatest length', () => {
    const hostile = ['"\\'.repeat(10_000), '('.repeat(20_000), '--'.repeat(10_000), '"'.repeat(19_999)];
    for (const text of hostile) unbalancedParenthesis(text);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const column = unbalancedParenthesis(text);
        expect(column === undefined || '()'.includes(text[column - 1] ?? '')).toBe(true);
      }),
    );
  });
});

test('a filter that leaves a parenthesis open is named with every other wrong field', () => {
  const input = { limit: 0, since: 'yesterday', query: 'a AND (b' };
  const issues = toValidationIssues('body', logsRequestSchema.safeParse(input).error?.issues ?? [], input);
  expect(issues.map(({ loc, type }) => [loc.join('.'), type])).toEqual([
    ['body.deployment_name', 'missing'],
    ['body.since', 'invalid_format'],
    ['body.limit', 'too_small'],
    ['body.query', 'query_unbalanced'],
  ]);
  expect(issues.at(-1)?.msg).toContain('column 7');
});
