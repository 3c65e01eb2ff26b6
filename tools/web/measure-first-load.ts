import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** Of both pages, so that a phone shows something soon. */
export const FIRST_LOAD_LIMIT_BYTES = 250_000;

/** Bytes, compressed with gzip, of the page and of every script and style that it names: what a first visit has to wait for. */
export function measureFirstLoad(dist: string): number {
  const html = readFileSync(path.join(dist, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file as string);
  if (named.length === 0) throw new Error(`${dist}/index.html names no script`);
  return ['index.html', ...named].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(dist, file))).length, 0);
}
