/**
 * Functions of the warehouse that are a formula of the engine's. Statements for a new connection, before it is locked.
 * A value in JSON that is an object or a list is no scalar: JSON_VALUE answers NULL for it. REGEXP_EXTRACT answers NULL where nothing
 * matches; the engine answers an empty text.
 */
export const WAREHOUSE_MACROS: readonly string[] = [
  `CREATE MACRO warehouse_json_value(value, path) AS
    CASE WHEN json_type(value::JSON, path) IN ('OBJECT', 'ARRAY') THEN NULL ELSE json_extract_string(value::JSON, path) END`,
  `CREATE MACRO warehouse_regexp_extract(value, pattern, wanted) AS
    CASE WHEN regexp_matches(value, pattern) THEN regexp_extract(value, pattern, wanted) END`,
];
