import { networkSql } from './ip-network.ts';
import type { TextTest } from './log-filter.ts';

/** Takes a value, answers its place in the SQL: `$1`, `$2`, …. */
export type Bind = (value: string | number) => string;

/** A test of the text that `column`, which is SQL, gives; NULL where that is. */
export function writeText(column: string, test: TextTest, bind: Bind): string {
  if (test.operator === '=~') return `regexp_matches(${column}, ${bind(test.pattern)})`;
  if (test.operator === 'net') return networkSql(column, test);
  if (test.operator === 'sample') {
    return test.before === undefined ? `${column} IS NOT NULL` : `md5(${column})[:8] < ${bind(test.before)}`;
  }
  if (test.operator === ':') return contains(column, test.text, bind);
  return `lower(${column}) ${test.operator} ${bind(test.text)}`;
}

/** The text of `column` holds `text`, which is folded. */
export function contains(column: string, text: string, bind: Bind): string {
  return `contains(lower(${column}), ${bind(text)})`;
}

/** Not AND: only in a CASE does DuckDB spare the rows that fail `guard` the dear `claim`. */
export function writeGuarded(guard: string, claim: string): string {
  return `CASE WHEN ${guard} THEN ${claim} ELSE false END`;
}
