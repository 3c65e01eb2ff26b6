import type { Browser } from 'playwright-core';
import { en } from '../../apps/chat/src/text/en.ts';
import { openTestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { FILES, handler, OTHER_CHATS, QUESTION } from './conversation.ts';
import type { TakePicture } from './take-picture.ts';

const PERSON = 'maryam';

/** Takes the pictures of an agent's page: a chat with steps, a table and code, and the files beside it. */
export async function pictureAgentPage(browser: Browser, take: TakePicture): Promise<void> {
  await using agent = await openTestAgent({ title: 'Harbour', handler });
  for (const text of [...OTHER_CHATS, QUESTION]) {
    const messages = [{ role: 'user', content: text }];
    await (await agent.call(PERSON, 'POST', '/chat', { messages })).text();
  }
  for (const [path, text] of Object.entries(FILES)) await agent.call(PERSON, 'PUT', `/files/${path}`, text);
  const chats = (await (await agent.call(PERSON, 'GET', '/chats')).json()) as { readonly id: string }[];
  const page = await browser.newPage({ viewport: { width: 1_280, height: 860 }, colorScheme: 'light', locale: 'en' });
  await page.addInitScript((access) => sessionStorage.setItem('berth-tokens', JSON.stringify({ access })), PERSON);
  await page.goto(`${agent.url}/?id=${chats[0]?.id}`);
  await page.locator('.hljs-keyword').first().waitFor();
  await page.getByRole('link', { name: OTHER_CHATS[0] ?? '' }).waitFor();
  await take(page, 'agent-page');
  await page.getByRole('button', { name: en['files.title'], exact: true }).click();
  await page.getByRole('button', { name: /^costs-2026-11/ }).waitFor();
  await take(page, 'agent-files');
}
