// Takes the picture of the chat page that the README shows: docs/images/agent-page.png. `npm run picture`.
import { statSync } from 'node:fs';
import path from 'node:path';
import { openBrowser } from '../../packages/agent/src/page/testing/open-browser.ts';
import { openTestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { buildPage } from '../web/build-page.ts';
import { handler, OTHER_CHATS, QUESTION } from './conversation.ts';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'docs/images/agent-page.png');
const PERSON = 'maryam';

await buildPage(root, 'apps/chat');
await using stack = new AsyncDisposableStack();
const agent = stack.use(await openTestAgent({ title: 'Harbour', handler }));
for (const text of [...OTHER_CHATS, QUESTION]) {
  const messages = [{ role: 'user', content: text }];
  await (await agent.call(PERSON, 'POST', '/chat', { messages })).text();
}
const chats = (await (await agent.call(PERSON, 'GET', '/chats')).json()) as { readonly id: string }[];
const browser = await openBrowser();
stack.defer(() => browser.close());
const page = await browser.newPage({ viewport: { width: 1_280, height: 860 }, colorScheme: 'light', locale: 'en' });
await page.addInitScript((access) => sessionStorage.setItem('berth-tokens', JSON.stringify({ access })), PERSON);
await page.goto(`${agent.url}/?id=${chats[0]?.id}`);
await page.locator('.hljs-keyword').first().waitFor();
await page.getByRole('link', { name: OTHER_CHATS[0] ?? '' }).waitFor();
await page.screenshot({ path: file });
console.log(`${path.relative(root, file)}: ${Math.round(statSync(file).size / 1000)} kB`);
