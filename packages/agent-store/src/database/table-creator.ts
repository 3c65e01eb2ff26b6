import type { CreateTableBuilder, Kysely, sql } from 'kysely';

/** The type of a column; a trailing `?` makes it nullable. */
export type TableColumn = 'text' | 'text?' | 'integer' | 'integer?';

/** Creates a table with a primary key. Columns are not null unless their type ends in `?`. */
export type TableCreator = (
  name: string,
  columns: Readonly<Record<string, TableColumn>>,
  key: readonly string[],
) => Promise<void>;

/** Creates a table creator. @param text the SQL type of text columns. */
export function tableCreator(db: Kysely<unknown>, text: ReturnType<typeof sql>): TableCreator {
  return (name, columns, key) => {
    let builder: CreateTableBuilder<string, string> = db.schema.createTable(name);
    for (const [column, type] of Object.entries(columns)) {
      const isNullable = type.endsWith('?');
      builder = builder.addColumn(column, type.startsWith('text') ? text : 'bigint', (one) =>
        isNullable ? one : one.notNull(),
      );
    }
    return builder.addPrimaryKeyConstraint(`${name}_key`, key as string[]).execute();
  };
}
