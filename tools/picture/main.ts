// Takes the pictures of the guides and the README anew, in docs/images. `npm run picture`, or `npm run picture -- agent` for one of them.
import path from 'node:path';
import { openBrowser } from '../../packages/agent/src/page/testing/open-browser.ts';
import { buildPage } from '../web/build-page.ts';
import { pictureAgentPage } from './agent-page.ts';
import { pictureConsole } from './console.ts';
import { createTakePicture } from './take-picture.ts';

const PARTS = { agent: pictureAgentPage, console: pictureConsole };

const root = path.resolve(import.meta.dirname, '../..');
for (const app of ['apps/console', 'apps/chat']) await buildPage(root, app);
const browser = await openBrowser();
try {
  const chosen = process.argv.slice(2);
  for (const [name, picture] of Object.entries(PARTS)) {
    if (chosen.length === 0 || chosen.includes(name)) await picture(browser, createTakePicture(root));
  }
} finally {
  await browser.close();
}
