import type { Browser } from 'playwright-core';
import { openTestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { handler, OTHER_CHATS, QUESTION } from './conversation.ts';
import type { TakePicture } from './take-picture.ts';

const PERSON = 'maryam';

/** Takes the picture of an agent's page: a chat with steps, a table and code. */
export async function pictureAgentPage(browser: Browser, take: TakePicture): Promise<void> {
  await using agent = await openTestAgent({ title: 'Harbour', handler });
  for (const text of [...OTHER_CHATS, QUESTION]) {
    const messages = [{ role: 'user', content: text }];
    await (await agent.call(PERSON, 'POST', '/chat', { messages })).text();
  }
  const chats = (await (await agent.call(PERSON, 'GET', '/chats')).json()) as { readonly id: string }[];
  const page = await browser.newPage({ viewport: { width: 1_280, height: 860 }, colorScheme: 'light', locale: 'en' });
  await page.addInitScript((access) => sessionStorage.setItem('berth-tokens', JSON.stringify({ access })), PERSON);
  await page.goto(`${agent.url}/?id=${chats[0]?.id}`);
  await page.locator('.hljs-keyword').first().waitFor();
  await page.getByRole('link', { name: OTHER_CHATS[0] ?? '' }).waitFor();
  await take(page, 'agent-page');
}
