import { createHash } from 'node:crypto';
import { RE2JS } from 're2js';
import { compareText, foldCase } from './fold-case.ts';
import { isInNetwork, networkSql } from './ip-network.ts';
import type { ExactTest, OrderOperator, PayloadTest, TextTest } from './log-filter.ts';

/** Adds a value to those of a condition, and returns its place in the SQL: `$1`, `$2`, …. */
export type Bind = (value: string | number) => string;

/** The test as a function of a text. {@link writeText} is the same in SQL. */
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

/** The test as a condition on `column`, which is SQL that yields a text; NULL where that is NULL. */
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

/** True for a test of the text as it is, without folding its case. */
export function isExact(test: TextTest | PayloadTest): test is ExactTest {
  return test.operator === '=~' || test.operator === 'net' || test.operator === 'sample';
}

/** True when a difference (left minus right) is what the operator asks for. */
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

/** SQL for "the text of `column` holds `text`", which is folded. */
export function contains(column: string, text: string, bind: Bind): string {
  return `contains(lower(${column}), ${bind(text)})`;
}

/** `claim`, evaluated only where `guard` is true. Not AND: only in a CASE does DuckDB skip the expensive `claim` for other rows. */
export function writeGuarded(guard: string, claim: string): string {
  return `CASE WHEN ${guard} THEN ${claim} ELSE false END`;
}
