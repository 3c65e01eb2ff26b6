import { expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { chatOf, createStream } from '../../../testing/fake-agent.ts';
import { assistant, NONE, openConversation, text, user } from '../../../testing/open-conversation.ts';

const FIRST = [
  { ...user('a'), seq: 1 },
  { ...assistant('A'), seq: 2 },
  { ...user('b'), seq: 3 },
  { ...assistant('B'), seq: 4 },
];

/** A conversation with two exchanges. */
async function open() {
  const opened = openConversation();
  const { agent, conversation } = opened;
  agent.on('GET /chats/c1', chatOf(FIRST));
  agent.on('GET /chats/c1/approvals', ...Array.from({ length: 9 }, () => NONE));
  await conversation.open('c1');
  return opened;
}

const posted = ({ agent }: ReturnType<typeof openConversation>) =>
  agent.calls.filter(({ call }) => call.startsWith('POST /chat?')).map(({ body }) => body);

it('any message can be edited: the turn replaces it, and what followed it is gone from view', async () => {
  const opened = await open();
  const { agent, conversation, said } = opened;
  const stream = createStream();
  agent.on('POST /chat?id=c1', stream.response);
  const editing = conversation.edit('better', 0);
  await agent.called('POST /chat?id=c1');
  expect(said()).toEqual(['> better', '']);
  const versions = [1, 5];
  const now = [
    { ...user('better'), seq: 5, versions },
    { ...assistant('C'), seq: 6 },
  ];
  agent.on('GET /chats/c1', chatOf(now));
  stream.send(text('C'));
  stream.end();
  await editing;
  expect(posted(opened)).toMatchObject([{ replaces: 1, messages: [{ role: 'user', content: 'better' }] }]);
  expect(said()).toEqual(['> better', 'C']);
  expect(conversation.state.get().items[0]).toMatchObject({ seq: 5, versions });
});

// Fails when the retry adds a message at the end: the edit would become a question of its own.
it('an edit that was refused shows the chat as it was, and its retry still replaces', async () => {
  const opened = await open();
  const { agent, conversation, said } = opened;
  agent.on('POST /chat?id=c1', new ApiError(429, 'too many'));
  agent.on('GET /chats/c1', chatOf(FIRST), chatOf([{ ...user('better'), seq: 5 }, assistant('C')]));
  await conversation.edit('better', 0);
  expect(said()).toEqual(['> a', 'A', '> b', 'B', '> better']);
  const stream = createStream();
  agent.on('POST /chat?id=c1', stream.response);
  stream.end();
  await conversation.retry();
  expect(posted(opened)).toMatchObject([{ replaces: 1 }, { replaces: 1 }]);
  expect(said()).toEqual(['> better', 'C']);
});

// Fails when the replaced message counts as the new one: an answer that is asked for again would never be sent.
it('a regenerated answer is not taken for arrived when the connection breaks', async () => {
  const opened = await open();
  const { agent, conversation } = opened;
  const stream = createStream();
  agent.on('POST /chat?id=c1', new TypeError('offline'), stream.response);
  agent.on('GET /chats/c1', chatOf(FIRST), chatOf(FIRST));
  stream.end();
  await conversation.retry();
  expect(posted(opened)).toMatchObject([{ replaces: 3 }, { replaces: 3 }]);
});

it('another version is shown, and an unknown one is told', async () => {
  const { agent, conversation, said } = await open();
  agent.on('POST /chats/c1/versions/7', { ok: true }, new ApiError(404, 'no version'));
  agent.on('GET /chats/c1', chatOf([{ ...user('other'), seq: 7, versions: [1, 7] }]));
  await conversation.showVersion(7);
  expect(said()).toEqual(['> other']);
  await conversation.showVersion(7);
  expect(conversation.state.get().problem).toBe('no version');
});

it('feedback is stored, and shown on its answer', async () => {
  const { agent, conversation } = await open();
  agent.on('PUT /chats/c1/messages/2/feedback', { ok: true });
  await conversation.rate(2, { rating: 'down', note: 'wrong' });
  expect(agent.calls.at(-1)?.body).toEqual({ rating: 'down', note: 'wrong' });
  expect(conversation.state.get().items[1]).toMatchObject({ feedback: { rating: 'down', note: 'wrong' } });
  await expect(conversation.rate(4, { rating: 'up', note: '' })).rejects.toThrow('nothing answers');
  expect(conversation.state.get().items[3]).not.toHaveProperty('feedback');
});
