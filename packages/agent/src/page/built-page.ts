import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A page that a bundler made: a document, and the files that it names. */
export interface BuiltPage {
  /** `index.html` as the bundler wrote it. */
  readonly html: string;
  /** By path, from the first slash on. */
  readonly files: ReadonlyMap<string, PageFile>;
}

export interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** A hash of its content is in its name: a browser may keep it for good. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  // Beside index.html: frames of the page, see frame-html.ts.
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** As bundlers name files: `main-B1x_9aKq.js`. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** Reads the page of a folder, all of it. @throws Error when the folder has no index.html */
export function readBuiltPage(folder: string): BuiltPage {
  const index = path.join(folder, 'index.html');
  if (!existsSync(index)) throw new Error(`defineAgent: page: there is no ${index}; give the folder of a built page`);
  const entries = globSync('**', { cwd: folder, withFileTypes: true }).filter(
    (entry) =>
      entry.isFile() &&
      TYPES[path.extname(entry.name)] !== undefined &&
      path.join(entry.parentPath, entry.name) !== index,
  );
  const files = entries.map((entry): [string, PageFile] => {
    const file = path.join(entry.parentPath, entry.name);
    const address = `/${path.relative(folder, file).split(path.sep).join('/')}`;
    const type = TYPES[path.extname(file)] as string;
    return [address, { bytes: new Uint8Array(readFileSync(file)), type, isImmutable: HASHED.test(entry.name) }];
  });
  return { html: readFileSync(index, 'utf8'), files: new Map(files) };
}

/** From the folder of the packed page on: where the repo builds it. */
const IN_REPO = '../../../../apps/chat/dist';

/** The page that comes with the package, or in the repo the one that was built there; undefined where neither is. */
export function findPackedPage(): BuiltPage | undefined {
  const packed = path.dirname(fileURLToPath(import.meta.resolve('@berth/agent/assets/chat/index.html')));
  const folder = [packed, path.resolve(packed, IN_REPO)].find((one) => existsSync(path.join(one, 'index.html')));
  return folder === undefined ? undefined : readBuiltPage(folder);
}
