// Builds the pages whose sources changed. `npm run web`; with --start, as before `npm start`, only what is built is said, and
// a page that can't be built is no reason not to start.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildPage } from './build-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const isStart = process.argv.includes('--start');
try {
  for (const folder of ['apps/console', 'apps/chat']) {
    if (!existsSync(path.join(root, folder, 'index.html'))) continue;
    const startedMs = performance.now();
    const { isFresh, firstLoadBytes } = await buildPage(root, folder, () => console.log(`web: building ${folder} …`));
    const size = `${Math.round(firstLoadBytes / 1000)} kB for a first visit`;
    if (!isFresh) console.log(`web: built ${folder} in ${Math.round(performance.now() - startedMs)} ms, ${size}`);
    else if (!isStart) console.log(`web: ${folder} is built from its sources, ${size}`);
  }
} catch (error) {
  console.error(`web: ${error instanceof Error ? error.message : error}`);
  if (isStart)
    console.error('web: the platform starts with what was built before, or without the page; npm run web tries again');
  else process.exitCode = 1;
}
