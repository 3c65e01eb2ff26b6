import { DatabaseSync } from 'node:sqlite';

/** Adds `count` copies of the first chat to the database `file` of an agent, titled `title-0`, `title-1`, …, a minute apart. */
export function copyChat(file: string, count: number): void {
  const database = new DatabaseSync(file);
  try {
    const row = database.prepare('SELECT * FROM chats LIMIT 1').get() ?? {};
    const columns = Object.keys(row);
    const insert = database.prepare(
      `INSERT OR IGNORE INTO chats (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
    );
    database.exec('BEGIN IMMEDIATE');
    for (let index = 0; index < count; index++) {
      const title = `title-${index}`;
      const copy = { ...row, id: `copy-${index}`, title, title_folded: title, updated_at: Date.now() - index * 60_000 };
      insert.run(...columns.map((column) => copy[column as keyof typeof copy] ?? null));
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
