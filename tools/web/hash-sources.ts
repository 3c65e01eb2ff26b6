import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What the pages are made of, besides each page's own folder. */
const SHARED = ['packages/{ui,contract,client,kit}/{src/**/*,package.json}', 'tools/web/*.ts', 'package-lock.json'];
const TESTS = /\.test\.tsx?$|\/testing\//;

/** A hash of all that the page in `folder` is built from: it changes when the built page may. About 500 files, 50 ms. */
export function hashSources(root: string, folder: string): string {
  const hash = createHash('sha256');
  const patterns = [...SHARED, `${folder}/{src/**/*,public/**/*,index.html,_page/*.html,package.json}`];
  for (const { name, parentPath } of globSync(patterns, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !TESTS.test(path.join(entry.parentPath, entry.name)))
    .toSorted((a, b) => (path.join(a.parentPath, a.name) < path.join(b.parentPath, b.name) ? -1 : 1))) {
    const file = path.join(parentPath, name);
    const bytes = readFileSync(file);
    hash.update(`${path.relative(root, file)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}
