import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { mediaType } from '@berth/agent-core';

/** The output of a bundler: a document and the files that it references. */
export interface BuiltPage {
  /** `index.html` as the bundler wrote it. */
  readonly html: string;
  /** Files by URL path, with a leading slash. */
  readonly files: ReadonlyMap<string, PageFile>;
}

/** A file of a built page. */
export interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The `Content-Type`. */
  readonly type: string;
  /** True when the name contains a hash of the content, so browsers may cache the file forever. */
  readonly isImmutable: boolean;
}

/** Files that are served. HTML files other than index.html are frames of the page, see `frameHtml`. */
const SERVED = /\.(html|m?js|css|json|svg|png|jpg|webp|woff2|wasm|txt)$/;

/** Matches hashed file names of bundlers, e.g. `main-B1x_9aKq.js`. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** Reads all files of a built page into memory. @throws Error when the folder has no index.html */
export function readBuiltPage(folder: string): BuiltPage {
  const index = path.join(folder, 'index.html');
  if (!existsSync(index)) throw new Error(`defineAgent: page: there is no ${index}; give the folder of a built page`);
  const entries = globSync('**', { cwd: folder, withFileTypes: true }).filter(
    (entry) => entry.isFile() && SERVED.test(entry.name) && path.join(entry.parentPath, entry.name) !== index,
  );
  const files = entries.map((entry): [string, PageFile] => {
    const file = path.join(entry.parentPath, entry.name);
    const address = `/${path.relative(folder, file).split(path.sep).join('/')}`;
    const bytes = new Uint8Array(readFileSync(file));
    return [address, { bytes, type: mediaType(entry.name), isImmutable: HASHED.test(entry.name) }];
  });
  return { html: readFileSync(index, 'utf8'), files: new Map(files) };
}

/** The build output in the repository, relative to the packed page. */
const IN_REPO = '../../../../apps/chat/dist';

/** Returns the page of the package or, in the repository, the one built there; undefined when neither exists. */
export function findPackedPage(): BuiltPage | undefined {
  const packed = path.dirname(fileURLToPath(import.meta.resolve('@berth/agent/assets/chat/index.html')));
  const folder = [packed, path.resolve(packed, IN_REPO)].find((one) => existsSync(path.join(one, 'index.html')));
  return folder === undefined ? undefined : readBuiltPage(folder);
}
