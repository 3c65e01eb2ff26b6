import { expect, it } from 'vitest';
import { createStorage } from '../../../testing/create-storage.ts';
import { chatOf, createStream } from '../../../testing/fake-agent.ts';
import { assistant, NONE, openConversation, text, user } from '../../../testing/open-conversation.ts';
import { createMessageQueue } from './message-queue.ts';
import { createQueues } from './tab-storage.ts';

/** A conversation whose first message is being answered, with its queue. */
async function open() {
  const storage = createStorage();
  const opened = openConversation({ storage });
  const { agent, conversation } = opened;
  let count = 0;
  const queue = createMessageQueue({ conversation, storage: createQueues(storage), createId: () => `q${++count}` });
  agent.on('GET /chats/c1/approvals', ...Array.from({ length: 9 }, () => NONE));
  const stream = createStream();
  agent.on('POST /chat?id=c1', stream.response);
  const sending = conversation.send('a');
  await agent.called('POST /chat?id=c1');
  const posted = () => agent.calls.filter(({ call }) => call === 'POST /chat?id=c1').map(({ body }) => body);
  return { ...opened, queue, sending, stream, posted, storage };
}

it('sends the first message when the answer is complete, with its files', async () => {
  const { agent, queue, stream, posted } = await open();
  const attachments = [{ name: 'a.txt', path: 'attachments/a.txt' }];
  queue.add('b', attachments);
  queue.add('c', []);
  agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]), chatOf([user('a'), assistant('A')]));
  agent.on('POST /chat?id=c1', createStream('r2').response);
  stream.send(text('A'));
  stream.end();
  await agent.called('POST /chat?id=c1', 2);
  expect(posted()[1]).toMatchObject({ messages: [{ content: 'b', attachments }] });
  expect(queue.state.get()).toMatchObject([{ text: 'c' }]);
});

// Fails when an answer that the person stopped, or one that failed, sends what was written for after it.
it.each(['stopped', 'failed'] as const)('keeps the messages after an answer that was %s', async (status) => {
  const { agent, conversation, queue, sending, stream, posted } = await open();
  queue.add('b', []);
  const chat = chatOf([user('a'), { ...assistant('A'), status }]);
  agent.on('GET /chats/c1', chat, chat, chat);
  if (status === 'stopped') {
    agent.on('POST /chats/c1/stop', { stopping: true });
    await conversation.stop();
  }
  stream.end();
  await sending;
  await conversation.refresh();
  expect([posted().length, queue.state.get().length]).toEqual([1, 1]);
  agent.on('POST /chat?id=c1', createStream('r2').response);
  void queue.send('q1');
  await agent.called('POST /chat?id=c1', 2);
  expect(queue.state.get()).toEqual([]);
});

/** The page of `before` after a reload, with the chat as the agent has stored it. */
async function reload(storage: ReturnType<typeof createStorage>, stored: ReturnType<typeof chatOf>) {
  const opened = openConversation({ storage });
  const { agent, conversation } = opened;
  const queue = createMessageQueue({ conversation, storage: createQueues(storage), createId: () => 'n' });
  agent.on('GET /chats/c1', stored, stored, stored);
  agent.on('GET /chats/c1/approvals', NONE, NONE, NONE);
  agent.on('POST /chat?id=c1', createStream('r2').response);
  await conversation.open('c1');
  const posted = agent.calls.filter(({ call }) => call === 'POST /chat?id=c1').map(({ body }) => body);
  return { ...opened, queue, posted };
}

it('is kept for its chat, also over a reload', async () => {
  const { conversation, queue, storage } = await open();
  queue.add('b', []);
  await conversation.open(undefined);
  expect(queue.state.get()).toEqual([]);
  const { queue: next } = await reload(storage, chatOf([user('a'), { ...assistant('A'), status: 'stopped' }]));
  expect(next.state.get()).toMatchObject([{ text: 'b' }]);
  expect(next.take('q1')?.text).toBe('b');
  expect(storage.getItem('berth-queue:c1')).toBeNull();
});

// Fails when the messages wait for an answer that was completed while the page reloaded.
it('goes on after a reload during which the answer was completed', async () => {
  const { queue, storage } = await open();
  queue.add('b', []);
  queue.add('c', []);
  const after = await reload(storage, chatOf([user('a'), assistant('A')]));
  expect(after.posted).toMatchObject([{ messages: [{ content: 'b' }] }]);
  expect(after.queue.state.get()).toMatchObject([{ text: 'c' }]);
});

// Fails when a message that a reload cut off is overtaken by the next one, which takes its place in the storage.
it('waits behind a message that a reload cut off', async () => {
  const { agent, queue, sending, stream, posted, storage } = await open();
  queue.add('b', []);
  queue.add('c', []);
  agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
  agent.on('POST /chat?id=c1', new Promise<Response>(() => undefined));
  stream.end();
  void sending;
  await agent.called('POST /chat?id=c1', 2);
  expect(posted()[1]).toMatchObject({ messages: [{ content: 'b' }] });
  const after = await reload(storage, chatOf([user('a'), assistant('A')]));
  expect(after.posted).toEqual([]);
  expect(after.queue.state.get()).toMatchObject([{ text: 'c' }]);
  expect(after.conversation.state.get().items.at(-1)).toMatchObject({ content: 'b', problem: 'unsent' });
});
