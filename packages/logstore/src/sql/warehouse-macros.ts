/**
 * Functions of the warehouse that are a formula of the engine's. Statements for a new connection, before it is locked.
 * A value in JSON that is an object or a list is no scalar: JSON_VALUE answers NULL for it.
 */
export const WAREHOUSE_MACROS: readonly string[] = [
  `CREATE MACRO warehouse_json_value(value, path) AS
    CASE WHEN json_type(value::JSON, path) IN ('OBJECT', 'ARRAY') THEN NULL ELSE json_extract_string(value::JSON, path) END`,
];
