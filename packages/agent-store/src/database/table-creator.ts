import type { CreateTableBuilder, Kysely, sql } from 'kysely';

export type TableColumn = 'text' | 'text?' | 'integer' | 'integer?';

/** Makes a table of columns that are not null unless they end in `?`, with a primary key. */
export type TableCreator = (
  name: string,
  columns: Readonly<Record<string, TableColumn>>,
  key: readonly string[],
) => Promise<void>;

/** @param text the type of text columns. */
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
