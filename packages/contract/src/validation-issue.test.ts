import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { logsRequestSchema } from './logs.ts';
import { toValidationIssues } from './validation-issue.ts';

function issuesOf(schema: z.ZodType, input: unknown) {
  const parsed = schema.safeParse(input);
  return parsed.success ? [] : toValidationIssues('body', parsed.error.issues, input);
}

describe('toValidationIssues', () => {
  it('tells an absent field from one of the wrong type', () => {
    const schema = z.object({ a: z.string(), b: z.object({ c: z.int() }) });
    expect(issuesOf(schema, { b: { c: 'x' } })).toEqual([
      { loc: ['body', 'a'], msg: 'Field required', type: 'missing' },
      { loc: ['body', 'b', 'c'], msg: expect.any(String), type: 'invalid_type' },
    ]);
  });

  it.each([
    [z.int().min(1), 0, 'must be at least 1'],
    [z.int().max(9), 10, 'must be at most 9'],
    [z.number().positive(), 0, 'must be more than 0'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().max(2), 'abc', 'must have at most 2 characters'],
    [z.array(z.int()).max(1), [1, 2], 'must have at most 1 item'],
    [z.enum(['owner', 'admin']), 'boss', 'must be one of owner, admin'],
    [z.email(), 'x', 'must be an e-mail address, such as ada@example.com'],
    [z.iso.date(), 'x', 'must be a date, such as 2026-01-31'],
    [z.boolean(), 'x', 'must be true or false'],
    [z.int().min(1, { error: 'must be a page' }), 0, 'must be a page'],
  ])('says what a value must be %#', (schema, value, msg) => {
    expect(issuesOf(z.object({ a: schema }), { a: value })).toMatchObject([{ loc: ['body', 'a'], msg }]);
  });

  it('keeps positions in arrays as numbers', () => {
    expect(issuesOf(z.object({ a: z.array(z.int()) }), { a: [1, 'x'] })[0]?.loc).toEqual(['body', 'a', 1]);
  });
});

describe('logsRequestSchema', () => {
  it('takes RFC 3339 times with a zone and up to nanoseconds', () => {
    const types = (since: unknown) =>
      issuesOf(logsRequestSchema, { deployment_name: 'a', since }).map((one) => one.type);
    for (const good of ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123456789+05:30', '1969-12-31T23:59:59z', null]) {
      expect(types(good)).toEqual([]);
    }
    for (const bad of ['2026-01-31T12:00:00', '2026-01-31', 'yesterday', '', '2026-13-01T00:00:00Z', 5]) {
      expect(types(bad)).toHaveLength(1);
    }
  });

  it('bounds the limit', () => {
    const types = (limit: unknown) =>
      issuesOf(logsRequestSchema, { deployment_name: 'a', limit }).map((one) => one.type);
    expect([1, 1000, undefined].map(types)).toEqual([[], [], []]);
    expect([0, 1001, 'x', 1.5].map((limit) => types(limit).length)).toEqual([1, 1, 1, 1]);
  });
});
