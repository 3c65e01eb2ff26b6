import { DatabaseSync } from 'node:sqlite';

/** Columns that hold a deployment's name, by table, in the order of their references. */
const NAME_COLUMNS = { deployments: 'name', revisions: 'deployment', revision_counters: 'deployment' } as const;

/**
 * Registers `copy-0` … `copy-<count - 1>`: the rows of `original` under other names, served from its artifact. Copies that
 * are there stay. The server must not run.
 */
export function copyDeployment(databaseFile: string, original: string, count: number): void {
  const database = new DatabaseSync(databaseFile);
  try {
    database.exec('BEGIN');
    for (const [table, column] of Object.entries(NAME_COLUMNS)) {
      const rows = database.prepare(`SELECT * FROM ${table} WHERE ${column} = ?`).all(original);
      for (const row of rows) {
        const columns = Object.keys(row);
        const insert = database.prepare(
          `INSERT OR IGNORE INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
        );
        for (let index = 0; index < count; index++) {
          const copy = { ...row, [column]: `copy-${index}` };
          insert.run(...columns.map((name) => renamed(copy[name] ?? null, original, `copy-${index}`)));
        }
      }
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

/** Settings hold the name too. */
function renamed<Value>(value: Value, original: string, name: string): Value | string {
  return typeof value === 'string' ? value.replace(`"name":"${original}"`, `"name":"${name}"`) : value;
}
