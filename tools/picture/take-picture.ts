import { statSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

/** Saves what a page shows as `docs/images/<name>.png`. */
export type TakePicture = (page: Page, name: string) => Promise<void>;

/** Creates the function that saves pictures below `root` and prints their sizes. */
export function createTakePicture(root: string): TakePicture {
  return async (page, name) => {
    const file = path.join(root, 'docs/images', `${name}.png`);
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
    console.log(`${path.relative(root, file)}: ${Math.round(statSync(file).size / 1000)} kB`);
  };
}
