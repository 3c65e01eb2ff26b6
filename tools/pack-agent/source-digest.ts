import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the SHA-256 of the names and contents of all files and folders given, in lower-case hex. Tests are left out. */
export function sourceDigest(root: string, patterns: readonly string[]): string {
  const files = globSync([...patterns], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test(-support)?\.ts$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new Error(`there are no sources under ${root}`);
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
