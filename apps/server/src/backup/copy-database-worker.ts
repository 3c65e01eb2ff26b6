import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

// A separate connection sees one snapshot of the database while others keep writing.
const { from, to } = workerData as { readonly from: string; readonly to: string };
const database = new DatabaseSync(from, { readOnly: true, timeout: 30_000 });
database.prepare('VACUUM INTO ?').run(to);
database.close();
