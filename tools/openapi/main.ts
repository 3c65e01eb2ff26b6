// Writes what is generated from the routes and the tables of settings; with --check it compares instead, and names each file that
// differs. `npm run openapi`.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { findDrift, generateFiles } from './generated-files.ts';

const root = path.resolve(import.meta.dirname, '../..');
const files = await generateFiles(root);
if (process.argv.includes('--check')) {
  for (const name of findDrift(root, files)) {
    console.error(`openapi: ${name} differs from the code it is made from: run npm run openapi`);
    process.exitCode = 1;
  }
  console.log(`openapi: ${files.length} files compared`);
} else {
  for (const { name, text } of files) writeFileSync(path.join(root, name), text);
  console.log(`openapi: ${files.length} files written`);
}
