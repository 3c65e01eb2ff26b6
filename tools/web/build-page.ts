import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hashSources } from './hash-sources.ts';
import { FIRST_LOAD_LIMIT_BYTES, measureFirstLoad } from './measure-first-load.ts';
import { withLock } from './with-lock.ts';

const STAMP = 'built-from';

/** How a page came to be what it is. */
export interface BuiltPage {
  readonly isFresh: boolean;
  /** Of the page, its scripts and styles, compressed. */
  readonly firstLoadBytes: number;
}

/**
 * Makes sure that `<folder>/dist` is built from the sources as they are now. A page that is built twice at once is built
 * once, and one whose build fails or is killed stays as it was.
 * @throws what the build fails with, and when the first load is over its limit.
 */
export async function buildPage(root: string, folder: string, onBuild: () => void = () => {}): Promise<BuiltPage> {
  const dist = path.join(root, folder, 'dist');
  const isFresh = () => readStamp(dist) === hashSources(root, folder);
  if (isFresh()) return { isFresh: true, firstLoadBytes: measureFirstLoad(dist) };
  return withLock(`${dist}.lock`, async () => {
    if (isFresh()) return { isFresh: true, firstLoadBytes: measureFirstLoad(dist) };
    onBuild();
    const stamp = hashSources(root, folder);
    const next = `${dist}.next`;
    rmSync(next, { recursive: true, force: true });
    mkdirSync(next, { recursive: true });
    // Loaded late: a page that is fresh needs none of it.
    const { bundlePage } = await import('./bundle-page.ts');
    await bundlePage(path.join(root, folder), next);
    const firstLoadBytes = measureFirstLoad(next);
    if (firstLoadBytes > FIRST_LOAD_LIMIT_BYTES) {
      throw new Error(`the first load of ${folder} is ${firstLoadBytes} bytes; ${FIRST_LOAD_LIMIT_BYTES} are allowed`);
    }
    writeFileSync(path.join(next, STAMP), stamp);
    rmSync(dist, { recursive: true, force: true });
    renameSync(next, dist);
    return { isFresh: false, firstLoadBytes };
  });
}

function readStamp(dist: string): string | undefined {
  const file = path.join(dist, STAMP);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
