import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

// A connection of its own sees one state of the database, while others go on writing.
const { from, to } = workerData as { readonly from: string; readonly to: string };
const database = new DatabaseSync(from, { readOnly: true, timeout: 30_000 });
database.prepare('VACUUM INTO ?').run(to);
database.close();
