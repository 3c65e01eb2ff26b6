import { expect, it } from 'vitest';
import { chatOf, createFakeAgent } from '../../testing/fake-agent.ts';
import { awaitTitle } from './await-title.ts';
import { createChatList } from './chat-list.ts';

const page = (title: string) => Response.json([chatOf([], { id: 'c1', title })]);

it.each([
  ['until the title is written', ['Hello', 'Hello', 'Greeting'], 2, 'Greeting'],
  ['four times at most', Array(5).fill('Hello'), 4, 'Hello'],
])('reads the list %s', async (_name, titles, count, shown) => {
  const agent = createFakeAgent();
  const list = createChatList(
    agent,
    () => 0,
    () => {},
  );
  agent.on('GET /chats?limit=100', ...titles.map(page));
  await list.refresh();
  const pauses: number[] = [];
  await awaitTitle(list, 'c1', async (delayMs) => void pauses.push(delayMs));
  expect(pauses).toHaveLength(count);
  expect(list.state.get().chats[0]?.title).toBe(shown);
});
