// Writes docs/openapi.json from the routes themselves; with --check compares instead. `npm run openapi`.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildDocument } from './build-document.ts';

const file = path.resolve(import.meta.dirname, '../../docs/openapi.json');
const document = await buildDocument();
const text = `${JSON.stringify(document, null, 2)}\n`;
const routes = Object.keys(document.paths ?? {}).length;
if (process.argv.includes('--check')) {
  const isSame = readOrEmpty(file) === text;
  console.log(
    `openapi: ${routes} paths read; docs/openapi.json ${isSame ? 'is up to date' : 'differs: run npm run openapi'}`,
  );
  if (!isSame || routes === 0) process.exitCode = 1;
} else {
  writeFileSync(file, text);
  console.log(`openapi: wrote ${routes} paths to docs/openapi.json`);
}

function readOrEmpty(name: string): string {
  try {
    return readFileSync(name, 'utf8');
  } catch {
    return '';
  }
}
