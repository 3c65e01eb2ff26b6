// Completes package-lock.json after an install; with --check only looks. `npm run lock`.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { completeLock, type LockFile } from './complete-lock.ts';

const file = path.resolve(import.meta.dirname, '../../package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8')) as LockFile;
const count = Object.keys(lock.packages).length;
const added = completeLock(lock);
if (process.argv.includes('--check')) {
  console.log(`lock: ${count} packages read; ${added.length} optional ones are missing`);
  if (added.length > 0 || count === 0) {
    console.error(`npm ci would refuse this lock file (${added.slice(0, 3).join(', ')}…): run npm run lock`);
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`lock: ${count} packages read; ${added.length} added`);
}
