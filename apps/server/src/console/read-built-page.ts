import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of a built page. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** The compressed bytes; undefined when compression gains nothing. */
  readonly gzipped: Buffer | undefined;
  readonly etag: string;
  /** The file name contains a hash of the content. */
  readonly isHashed: boolean;
}

/** A built page by the paths of its files, e.g. `/assets/index-x.js`. */
export type BuiltPage = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};
const COMPRESSES = /^(?:text\/|image\/svg|application\/wasm)/;

/**
 * Reads the whole page in `folder` into memory, about 1 MB, so that a rebuild while the platform runs is never served half old, half
 * new. Returns undefined when there is none or it is being replaced.
 */
export function readBuiltPage(folder: string): BuiltPage | undefined {
  if (!existsSync(path.join(folder, 'index.html'))) return undefined;
  const files = new Map<string, PageFile>();
  try {
    for (const entry of globSync('**/*.*', { cwd: folder, withFileTypes: true })) {
      const type = TYPES[path.extname(entry.name)];
      if (!entry.isFile() || type === undefined) continue;
      const file = path.join(entry.parentPath, entry.name);
      const bytes = readFileSync(file);
      const name = `/${path.relative(folder, file).split(path.sep).join('/')}`;
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
      const gzipped = COMPRESSES.test(type) ? gzipSync(bytes) : undefined;
      files.set(name, { type, bytes, gzipped, etag, isHashed: name.startsWith('/assets/') });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return files;
}
