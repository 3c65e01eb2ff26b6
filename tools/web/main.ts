// Builds the pages and the programs whose sources changed. `npm run web`; with --start, as before `npm start`, unchanged ones are not
// mentioned, and a failed build does not keep the platform from starting.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildPage } from './build-page.ts';
import { buildProgram, PROGRAMS, startFromSources } from './build-program.ts';

const root = path.resolve(import.meta.dirname, '../..');
const isStart = process.argv.includes('--start');

for (const folder of ['apps/console', 'apps/chat']) {
  if (!existsSync(path.join(root, folder, 'index.html'))) continue;
  await attempt('with the page as it was built before, or without it', async () => {
    const startedMs = performance.now();
    const { isFresh, firstLoadBytes } = await buildPage(root, folder, () => console.log(`web: building ${folder} …`));
    const size = `${Math.round(firstLoadBytes / 1000)} kB for a first visit`;
    if (!isFresh) console.log(`web: built ${folder} in ${Math.round(performance.now() - startedMs)} ms, ${size}`);
    else if (!isStart) console.log(`web: ${folder} is built from its sources, ${size}`);
  });
}
for (const folder of PROGRAMS) {
  const isBuilt = await attempt('from the bundle as it was built before, or from sources', async () => {
    const startedMs = performance.now();
    if (await buildProgram(root, folder))
      console.log(`web: bundled ${folder} in ${Math.round(performance.now() - startedMs)} ms`);
    else if (!isStart) console.log(`web: ${folder} is bundled from its sources`);
  });
  if (!isBuilt) startFromSources(root, folder);
}

/** Runs a build. Reports its failure, and how the platform starts nevertheless, and then returns false. */
async function attempt(how: string, build: () => Promise<void>): Promise<boolean> {
  try {
    await build();
    return true;
  } catch (error) {
    console.error(`web: ${error instanceof Error ? error.message : error}`);
    if (isStart) console.error(`web: the platform starts ${how}; npm run web tries again`);
    else process.exitCode = 1;
    return false;
  }
}
