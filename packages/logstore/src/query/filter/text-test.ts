import { createHash } from 'node:crypto';
import { RE2JS } from 're2js';
import { compareText, foldCase } from './fold-case.ts';
import { isInNetwork, networkSql } from './ip-network.ts';
import type { ExactTest, OrderOperator, PayloadTest, TextTest } from './log-filter.ts';

/** Adds a value to those of a condition, and returns its place in the SQL: `$1`, `$2`, …. */
export type Bind = (value: string | number) => string;

/** Compiles the test to a function of a text. {@link writeText} is the same in SQL. */
export function compileText(test: TextTest): (text: string) => boolean {
  switch (test.operator) {
    case '=~': {
      const pattern = RE2JS.compile(test.pattern);
      return (text) => pattern.matcher(text).find();
    }
    case 'net':
      return (text) => isInNetwork(text, test);
    case 'sample': {
      const { before } = test;
      return (text) => before === undefined || createHash('md5').update(text).digest('hex').slice(0, 8) < before;
    }
    default: {
      const { operator, text: wanted } = test;
      if (operator === ':') return (text) => foldCase(text).includes(wanted);
      return (text) => isOrdered(compareText(foldCase(text), wanted), operator);
    }
  }
}

/** Compiles the test to a condition on `column`, which is SQL of a text; NULL when that is NULL. */
export function writeText(column: string, test: TextTest, bind: Bind): string {
  switch (test.operator) {
    case '=~':
      return `regexp_matches(${column}, ${bind(test.pattern)})`;
    case 'net':
      return networkSql(column, test);
    case 'sample':
      return test.before === undefined ? `${column} IS NOT NULL` : `md5(${column})[:8] < ${bind(test.before)}`;
    case ':':
      return contains(column, test.text, bind);
    default:
      return `lower(${column}) ${test.operator} ${bind(test.text)}`;
  }
}

/** Returns true for a test of the text as it is, without case folding. */
export function isExact(test: TextTest | PayloadTest): test is ExactTest {
  return test.operator === '=~' || test.operator === 'net' || test.operator === 'sample';
}

/** Returns true when a difference (left minus right) satisfies the operator. */
export function isOrdered(difference: number, operator: OrderOperator): boolean {
  switch (operator) {
    case '=':
      return difference === 0;
    case '<':
      return difference < 0;
    case '<=':
      return difference <= 0;
    case '>':
      return difference > 0;
    case '>=':
      return difference >= 0;
  }
}

/** Returns SQL for "the text in `column` contains `text`", which is folded. */
export function contains(column: string, text: string, bind: Bind): string {
  return `contains(lower(${column}), ${bind(text)})`;
}

/**
 * Returns SQL that evaluates `claim` only when `guard` is true. DuckDB skips the expensive `claim` in a CASE, but not
 * in an AND.
 */
export function writeGuarded(guard: string, claim: string): string {
  return `CASE WHEN ${guard} THEN ${claim} ELSE false END`;
}
