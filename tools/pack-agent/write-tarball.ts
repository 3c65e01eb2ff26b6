import { createWriteStream, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

/** The date of entries in npm packages. */
const MODIFIED_AT = new Date('1985-10-26T08:15:00Z');

/** Writes `folder`'s `package/` as an npm tarball. The same files give the same bytes. */
export async function writeTarball(folder: string, file: string): Promise<void> {
  const tar = pack();
  const written = pipeline(tar, createGzip({ level: 9 }), createWriteStream(file));
  const entries = globSync('package/**', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = entries.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))).sort();
  for (const name of names) tar.entry({ name, mode: 0o644, mtime: MODIFIED_AT }, readFileSync(path.join(folder, name)));
  tar.finalize();
  await written;
}
