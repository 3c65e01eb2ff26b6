// Builds the pages whose sources changed. `npm run web`; with --quiet only what was done is said.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildPage } from './build-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const isQuiet = process.argv.includes('--quiet');
try {
  for (const folder of ['apps/console', 'apps/chat']) {
    if (!existsSync(path.join(root, folder, 'index.html'))) continue;
    const startedMs = performance.now();
    const { isFresh, firstLoadBytes } = await buildPage(root, folder);
    const size = `${Math.round(firstLoadBytes / 1000)} kB for a first visit`;
    if (!isFresh) console.log(`web: built ${folder} in ${Math.round(performance.now() - startedMs)} ms, ${size}`);
    else if (!isQuiet) console.log(`web: ${folder} is built from its sources, ${size}`);
  }
} catch (error) {
  console.error(`web: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
