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

it('is kept for its chat, also over a reload', async () => {
  const { conversation, queue, storage } = await open();
  queue.add('b', []);
  await conversation.open(undefined);
  expect(queue.state.get()).toEqual([]);
  const again = openConversation({ storage });
  const next = createMessageQueue({
    ...{ conversation: again.conversation, storage: createQueues(storage), createId: () => 'n' },
  });
  again.agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
  again.agent.on('GET /chats/c1/approvals', NONE);
  await again.conversation.open('c1');
  expect(next.state.get()).toMatchObject([{ text: 'b' }]);
  expect(next.take('q1')?.text).toBe('b');
  expect(storage.getItem('berth-queue:c1')).toBeNull();
});
