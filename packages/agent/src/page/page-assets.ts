import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the page is made of. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** Reads the page's script and style, which come with the package. */
export function readPageAssets(): PageAssets {
  return { script: readAsset('page.js'), style: readAsset('page.css') };
}

function readAsset(name: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(`@berth/agent/assets/${name}`)), 'utf8');
}
