import { afterAll, expect, test } from 'vitest';
import { ALLOWED_FUNCTIONS } from './allowed-functions.ts';
import { createSqlFixture } from './sql-fixture.test-support.ts';

const fixture = await createSqlFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

/** Functions that tell of the engine, its settings or its catalog, wait, write, or take values that only the engine itself makes. */
const REFUSED = `
  col_description combine current_catalog current_connection_id current_database current_query current_query_id
  current_role current_schema current_schemas current_setting current_transaction_id current_user currval finalize format_pg_type
  format_type get_block_size getvariable in_search_path json_deserialize_sql json_serialize_plan json_serialize_sql map_to_pg_oid
  nextval obj_description parse_duckdb_log_message remap_struct session_user shobj_description sleep_ms stats timetz_byte_comparable
  txid_current user variant_bytes_to_variant variant_normalize variant_to_parquet_variant vector_type version
  write_log
`;
const REFUSED_PREFIXES = /^(?:__internal_|has_|icu_|inet_|pg_|warehouse_)/;

test('each function of the engine is allowed or refused by name, and nothing that the engine lacks is', async () => {
  const sql = `SELECT DISTINCT lower(function_name) AS name FROM duckdb_functions()
    WHERE function_type IN ('scalar', 'aggregate', 'macro')`;
  const reader = await fixture.connection.runAndReadAll(sql);
  const engine = reader.getRows().map(([name]) => String(name));
  const refused = new Set(REFUSED.trim().split(/\s+/));
  const isRefused = (name: string) => refused.has(name) || REFUSED_PREFIXES.test(name);
  expect(engine.filter((name) => !ALLOWED_FUNCTIONS.has(name) && !isRefused(name))).toEqual([]);
  expect(engine.filter((name) => ALLOWED_FUNCTIONS.has(name) && isRefused(name))).toEqual([]);
  // `unnest` is the parser's own.
  expect([...ALLOWED_FUNCTIONS].filter((name) => name !== 'unnest' && !engine.includes(name))).toEqual([]);
});
