import path from 'node:path';
import type { Page } from 'playwright-core';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { copyChat } from '../agents/copy-chat.ts';
import { LONG_ANSWERS, tokensOf } from '../agents/long-answers.ts';
import type { Measure } from './console-journeys.ts';

/** As fast as models write today: 500 tokens a second. */
const TOKENS_A_TICK = 10;
const TICK_MS = 20;
const MESSAGES = 500;
const END = 'The end of it.';

/** Starts an agent whose only person has `chats` chats, and whose answer to "long" has `tokens` tokens. */
export async function openSeededAgent(page: string, chats: number, tokens: number): Promise<TestAgent> {
  const agent = await openTestAgent({
    page,
    async *handler({ messages, signal }) {
      const all = messages.at(-1)?.content === 'long' ? tokensOf(LONG_ANSWERS['mixed'] ?? '').slice(0, tokens) : [];
      for (let at = 0; at < all.length && !signal.aborted; at += TOKENS_A_TICK) {
        yield all.slice(at, at + TOKENS_A_TICK).join('');
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      }
      yield `\n\n${END}`;
    },
  });
  const first = await agent.call('bench', 'POST', '/?id=first', { messages: [{ role: 'user', content: 'Hello' }] });
  await first.text();
  copyChat(path.join(agent.dataFolder, '.db', 'agent.sqlite'), chats);
  return agent;
}

/** Goes through the chat page as a person with very many chats, two of them long. */
export async function walkChat(page: Page, measure: Measure): Promise<void> {
  const composer = page.locator('#message');
  const list = page.getByRole('navigation');
  for (const id of ['long-a', 'long-b']) {
    await page.route(`**/chats/${id}*`, (route) => route.fulfill({ json: createLongChat(id) }));
    await page.route(`**/chats/${id}/approvals`, (route) => route.fulfill({ json: [] }));
  }
  await page.goto('/');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel(/token/i).fill('bench');
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
  await composer.waitFor();
  await measure(
    'chat: list of chats',
    async () => {
      await page.goto('/');
      await list.getByText('title-3', { exact: true }).waitFor();
      await composer.waitFor();
    },
    { isFirstRow: true },
  );
  await measure('chat: search chats', async () => {
    await list.getByRole('searchbox').pressSequentially('title-777');
    await list.getByText('title-777', { exact: true }).waitFor();
    await list.getByText('title-3', { exact: true }).waitFor({ state: 'detached' });
    await list.getByRole('searchbox').fill('');
    await list.getByText('title-3', { exact: true }).waitFor();
  });
  for (const id of ['long-a', 'long-b', 'long-a']) {
    await measure(`chat: open ${MESSAGES} messages (${id})`, async () => {
      await page.evaluate((chat) => {
        history.pushState(null, '', `/?id=${chat}`);
        dispatchEvent(new PopStateEvent('popstate'));
      }, id);
      await page.getByText(`Last words of ${id}.`).waitFor();
    });
  }
  await measure(`chat: type below ${MESSAGES} messages`, () =>
    composer.pressSequentially('A question of some length, typed quickly.'),
  );
  await composer.fill('');
  await page.goto('/');
  await composer.waitFor();
  await measure('chat: stream a long answer', async () => {
    await composer.fill('long');
    await composer.press('Enter');
    await page.getByText(END).last().waitFor();
  });
}

function createLongChat(id: string) {
  const messages = Array.from({ length: MESSAGES }, (_, index) => {
    if (index % 2 === 0) return { role: 'user', content: `Question ${index}?` };
    const end = index === MESSAGES - 1 ? `Last words of ${id}.` : '';
    const text = `## Answer ${index}\n\nSome **bold** words. ${'More of it to read. '.repeat(index % 17)}\n\n- one\n- two\n\n\`\`\`ts\nconst x = ${index};\n\`\`\`\n\n${end}`;
    return { role: 'assistant', content: text, parts: [{ type: 'text', text }] };
  });
  return { id, title: id, messages, next: 1, open: null };
}
