// Writes packages/agent/assets/page.js from packages/agent/src/page/client; with --check compares instead. `npm run page`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildPage } from './build-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'packages/agent/assets/page.js');
const script = await buildPage(root);
if (!process.argv.includes('--check')) writeFileSync(file, script);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== script) {
  console.error("page: packages/agent/assets/page.js differs from the page's sources: run npm run page");
  process.exitCode = 1;
}
console.log(`page: ${script.length} characters of script`);
