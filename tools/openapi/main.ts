// Writes docs/openapi.json and docs/api.md from the routes themselves; with --check compares instead. `npm run openapi`.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildDocument } from './build-document.ts';
import { type ReferenceDocument, renderReference } from './render-reference.ts';

const document = await buildDocument();
const routes = Object.keys(document.paths ?? {}).length;
const files: readonly (readonly [string, string])[] = [
  ['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
  ['docs/api.md', renderReference(document as unknown as ReferenceDocument)],
];
const isCheck = process.argv.includes('--check');
for (const [name, text] of files) {
  const file = path.resolve(import.meta.dirname, '../..', name);
  if (!isCheck) writeFileSync(file, text);
  else if (readOrEmpty(file) !== text) {
    console.error(`openapi: ${name} differs from the routes: run npm run openapi`);
    process.exitCode = 1;
  }
}
console.log(`openapi: ${routes} paths ${isCheck ? 'read' : 'written'}`);
if (routes === 0) process.exitCode = 1;

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
