/** A table of a dump. */
export interface DumpedTable {
  /** Its Postgres schema. */
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

/** Name of the table with the migrations of a schema, which tells the version of a dump. */
export const MIGRATIONS_TABLE = 'schema_migrations';
