import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isFresh, SOURCES_FILE, stateOf } from '../../apps/cli/bin/is-fresh.js';
import { withLock } from './with-lock.ts';

/** A running server loads parts of its bundle when it first needs them, so parts of earlier bundles stay this long. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** The workspaces that start from a bundle. */
export const PROGRAMS = ['apps/server', 'apps/cli'] as const;

/**
 * Makes sure that `<folder>/dist/main.js` is the program of `<folder>/src/main.ts` as it is now, in few files, which start sooner than its
 * sources. A build that fails or is killed leaves `main.js` as it was.
 * @returns false when it was built already
 * @throws Error when a module can't be found or doesn't compile
 */
export async function buildProgram(root: string, folder: string): Promise<boolean> {
  const dist = path.join(root, folder, 'dist');
  if (isFresh(dist)) return false;
  return withLock(`${dist}.lock`, async () => {
    if (isFresh(dist)) return false;
    // Loaded late: a program that is fresh doesn't need the bundler.
    const { bundleProgram } = await import('./bundle-program.ts');
    const { files, sources } = await bundleProgram(root, folder);
    mkdirSync(dist, { recursive: true });
    for (const [name, code] of [...files].toSorted(([a], [b]) => rank(a) - rank(b)))
      replace(path.join(dist, name), code);
    removeOld(dist, files);
    const builtFrom = [...sources, path.join(root, 'package-lock.json'), import.meta.filename, bundler()].toSorted();
    const states = builtFrom.map((file) => [path.relative(dist, file), stateOf(file)]);
    replace(path.join(dist, SOURCES_FILE), JSON.stringify(Object.fromEntries(states)));
    return true;
  });
}

/** Lets `<folder>/dist/main.js` start the program from its sources when no bundle could be made. */
export function startFromSources(root: string, folder: string): void {
  const main = path.join(root, folder, 'dist/main.js');
  if (existsSync(main)) return;
  mkdirSync(path.dirname(main), { recursive: true });
  replace(main, "await import('../src/main.ts');\n");
}

const bundler = () => path.join(import.meta.dirname, 'bundle-program.ts');

/** Parts before programs that load them, `main.js` last. */
const rank = (name: string) => (name === 'main.js' ? 2 : /-[0-9a-f]{8}\.js$/.test(name) ? 0 : 1);

function replace(file: string, content: string): void {
  writeFileSync(`${file}.next`, content);
  renameSync(`${file}.next`, file);
}

function removeOld(dist: string, current: ReadonlyMap<string, string>): void {
  const now = new Date();
  for (const name of readdirSync(dist)) {
    const file = path.join(dist, name);
    if (current.has(name)) utimesSync(file, now, now);
    else if (now.getTime() - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { recursive: true });
  }
}
