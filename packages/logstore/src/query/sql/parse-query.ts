import { LIMITS } from '@berth/contract';
import type { DuckDBConnection } from '@duckdb/node-api';
import { checkTree, refusedFunction } from './check-tree.ts';
import { queryError, Untranslatable } from './sql-error.ts';
import { readTree, type SqlNode } from './sql-tree.ts';
import { findTimeBounds, type TimeBounds } from './time-bounds.ts';
import { nestingOf, type TranslatedText, translateText } from './translate-text.ts';
import { translateTree } from './translate-tree.ts';

/** A query that may run. */
export interface ParsedQuery {
  readonly sql: string;
  readonly bounds: TimeBounds;
}

const MAX_NESTING = 500;

/**
 * Turns a query of the caller into one that may run: one SELECT over the caller's relations, translated to DuckDB's
 * dialect where it uses the warehouse's. DuckDB's own parser reads it; nothing is matched by patterns.
 * @throws `invalid` at the query, with DuckDB's message or with what is not allowed.
 */
export async function parseQuery(connection: DuckDBConnection, query: string): Promise<ParsedQuery> {
  if (query.trim() === '') throw queryError('The query is empty.');
  if (query.length > LIMITS.sqlQueryCharacters) {
    throw queryError(
      `The query has ${query.length} characters; the limit is ${LIMITS.sqlQueryCharacters}.`,
      'too_long',
    );
  }
  // DuckDB's parser needs seconds, and its stack, for nesting that no one writes.
  if (nestingOf(query) > MAX_NESTING) throw queryError(`Brackets are more than ${MAX_NESTING} deep.`, 'too_deep');
  if (query.includes('\0')) throw queryError('The query holds a NUL character.');
  const text = translateText(query);
  const parsed = await first(connection, 'SELECT json_serialize_sql($1::VARCHAR)', text.sql);
  const tree = readTree(parsed);
  if (tree['error'] === true) throw parserError(tree, text);
  const { statement, unlistedFunctions } = checkTree(tree);
  await refuseKnown(connection, unlistedFunctions);
  const translated = translateStatement(statement, text);
  // Run as the caller wrote it, so that errors point at the caller's own lines.
  const bounds = findTimeBounds(translated);
  if (translated === statement) return { sql: text.sql, bounds };
  const json = JSON.stringify({ ...tree, statements: [translated] });
  return { sql: await first(connection, 'SELECT json_deserialize_sql($1::JSON)', json), bounds };
}

/**
 * Refuses functions that DuckDB has. DuckDB itself reports those that it lacks, with their position and a suggestion.
 */
async function refuseKnown(connection: DuckDBConnection, functions: readonly string[]): Promise<void> {
  if (functions.length === 0) return;
  const sql =
    'SELECT min(function_name) FROM duckdb_functions() WHERE list_contains($1::JSON::VARCHAR[], lower(function_name))';
  const reader = await connection.runAndReadAll(sql, [JSON.stringify(functions)]);
  const known = reader.getRows()[0]?.[0];
  if (known !== null && known !== undefined) throw refusedFunction(String(known));
}

function translateStatement(statement: SqlNode, text: TranslatedText): SqlNode {
  try {
    return translateTree(statement);
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    const place = error.byteOffset === undefined ? '' : ` (${text.placeOf(error.byteOffset)})`;
    throw queryError(error.message + place);
  }
}

function parserError(tree: SqlNode, text: TranslatedText) {
  const message = String(tree['error_message']);
  if (message.startsWith('Only SELECT statements'))
    return queryError('Only one SELECT, or WITH … SELECT, is supported.');
  const position = Number(tree['position']);
  const place = Number.isInteger(position) ? ` (${text.placeOf(position)})` : '';
  return queryError(`Parser Error: ${message}${place}`);
}

async function first(connection: DuckDBConnection, sql: string, value: string): Promise<string> {
  const reader = await connection.runAndReadAll(sql, [value]);
  return String(reader.getRows()[0]?.[0]);
}
