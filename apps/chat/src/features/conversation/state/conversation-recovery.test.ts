import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { createStorage } from '../../../testing/create-storage.ts';
import { chatOf, createStream } from '../../../testing/fake-agent.ts';
import { assistant, NONE, openConversation, text, user } from '../../../testing/open-conversation.ts';
import { contentHash } from './chat-calls.ts';
import type { AnswerItem } from './items.ts';
import { createKeptChats, createOutbox } from './tab-storage.ts';

const BUSY = () => Array.from({ length: 5 }, () => new ApiError(409, 'Another turn is running.'));
const OFFLINE = (count: number) => Array.from({ length: count }, () => new TypeError('offline'));

/** A conversation with the stored chat `c1`, in which one question was answered. */
async function openChat(storage = createStorage()) {
  const opened = openConversation({ storage });
  opened.agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
  opened.agent.on('GET /chats/c1/approvals', NONE, NONE, NONE);
  await opened.conversation.open('c1');
  return opened;
}

/** A turn whose whole stream is there already. */
function streamOf(...words: readonly string[]) {
  const stream = createStream('r2');
  stream.send(...words.map(text));
  stream.end();
  return stream.response;
}

describe('a message that another tab’s turn holds back', () => {
  // Fails when the message leaves the page with that turn: the field is empty by then, and the next message replaces it.
  it('stays below that turn, with the reason', async () => {
    const { agent, conversation, said } = await openChat();
    agent.on('POST /chat?id=c1', ...BUSY());
    agent.on('GET /chats/c1?since=1', chatOf([user('theirs')], { run: 'running', next: 2 }));
    agent.on('GET /chats/c1/stream', streamOf('Theirs.'));
    agent.on('GET /chats/c1?since=2', chatOf([assistant('Theirs.')], { next: 3 }));
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A'), user('theirs'), assistant('Theirs.')], { next: 3 }));
    await conversation.send('mine');
    expect(said()).toEqual(['> a', 'A', '> theirs', 'Theirs.', '> mine']);
    expect(conversation.state.get().items.at(-1)).toMatchObject({ problem: 'Another turn is running.' });
  });

  it('stays visible while that turn runs, and Stop stops the turn', async () => {
    const { agent, conversation, said, shows } = await openChat();
    const stream = createStream('r2');
    agent.on('POST /chat?id=c1', ...BUSY());
    agent.on('POST /chats/c1/stop', { ok: true });
    agent.on('GET /chats/c1?since=1', chatOf([user('theirs')], { run: 'running', next: 2 }));
    agent.on('GET /chats/c1/stream', stream.response);
    const sent = conversation.send('mine');
    await agent.called('GET /chats/c1/stream');
    stream.send(text('The'));
    await shows(() => said().includes('The'));
    expect(said()).toEqual(['> a', 'A', '> theirs', 'The', '> mine']);
    await conversation.stop();
    expect(conversation.state.get().phase).toBe('stopping');
    stream.end();
    await sent;
  });

  it('can be sent again after that turn', async () => {
    const { agent, conversation, said } = await openChat();
    agent.on('POST /chat?id=c1', ...BUSY(), streamOf('Mine.'));
    agent.on('GET /chats/c1?since=1', chatOf([user('theirs'), assistant('Theirs.')], { next: 2 }));
    await conversation.send('mine');
    agent.on(
      'GET /chats/c1',
      chatOf([user('a'), assistant('A'), user('theirs'), assistant('Theirs.'), user('mine'), assistant('Mine.')]),
    );
    await conversation.retry();
    expect(said()).toEqual(['> a', 'A', '> theirs', 'Theirs.', '> mine', 'Mine.']);
    expect(agent.calls.filter(({ call }) => call.startsWith('DELETE'))).toEqual([]);
  });
});

describe('a message that was not sent', () => {
  it('is shown again after a reload, below newer messages', async () => {
    const storage = createStorage();
    const { agent, conversation } = await openChat(storage);
    agent.on('POST /chat?id=c1', new ApiError(402, 'no'));
    agent.on('GET /chats/c1?since=1', chatOf([]));
    await conversation.send('mine');
    const after = openConversation({ storage });
    after.agent.on('GET /chats/c1', chatOf([user('a'), assistant('A'), user('theirs'), assistant('Theirs.')]));
    after.agent.on('GET /chats/c1/approvals', NONE);
    await after.conversation.reopen('c1');
    expect(after.said()).toEqual(['> a', 'A', '> theirs', 'Theirs.', '> mine']);
    expect(after.conversation.state.get().items.at(-1)).toMatchObject({ problem: 'no' });
  });

  // Fails when a message that got through after all stays as unsent beside itself: "Send again" would double it.
  it('is shown once when it has arrived after all', async () => {
    const { agent, conversation, said } = await openChat();
    agent.on('POST /chat?id=c1', ...OFFLINE(4));
    agent.on('GET /chats/c1', ...Array.from({ length: 4 }, () => chatOf([user('a'), assistant('A')])));
    agent.on('GET /chats/c1?since=1', chatOf([user('mine'), assistant('Yes.')], { next: 2 }));
    await conversation.send('mine');
    expect(said()).toEqual(['> a', 'A', '> mine', 'Yes.']);
  });

  // Fails when the storage goes by the questions of a chat: an answer alone makes it a chat of its own.
  it('stays in a chat that has only an answer', async () => {
    const storage = createStorage();
    const opened = openConversation({ storage });
    opened.agent.on('GET /chats/c1', chatOf([assistant('Welcome.')]));
    opened.agent.on('GET /chats/c1/approvals', NONE);
    await opened.conversation.open('c1');
    opened.agent.on('POST /chat?id=c1', new ApiError(402, 'no'));
    opened.agent.on('GET /chats/c1?since=1', chatOf([]));
    await opened.conversation.send('mine');
    expect([createOutbox(storage).read(), createOutbox(storage).read('c1')]).toMatchObject([
      undefined,
      { question: { content: 'mine' } },
    ]);
    opened.conversation.discard();
    expect(createOutbox(storage).read('c1')).toBeUndefined();
  });

  it('is shown again when the person returns to its chat', async () => {
    const { agent, conversation, said } = await openChat();
    agent.on('POST /chat?id=c1', new TypeError('offline'));
    agent.on('GET /chats/c1', new TypeError('offline'));
    agent.waitFor = () => new Promise(() => {});
    const sent = conversation.send('mine');
    await agent.called('GET /chats/c1', 2);
    await conversation.open(undefined);
    await sent;
    expect(said()).toEqual([]);
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
    await conversation.open('c1');
    expect(said()).toEqual(['> a', 'A', '> mine']);
  });

  it('keeps the edited text when the old question is already deleted', async () => {
    const { agent, conversation, said } = await openChat();
    agent.on(`DELETE /chats/c1/last-exchange?expect=${await contentHash('a')}`, { ok: true });
    agent.on('POST /chat?id=c1', new ApiError(402, 'no'));
    agent.on('GET /chats/c1', chatOf([]));
    await conversation.edit('better');
    expect(said()).toEqual(['> better']);
    expect(conversation.state.get()).toMatchObject({ phase: 'idle', items: [{ problem: 'no' }] });
  });
});

describe('an answer that could not be followed', () => {
  /** A chat of this tab alone, whose answer was lost in the middle. */
  async function openLost(storage = createStorage()) {
    const opened = openConversation({ isStored: false, storage });
    const first = createStream();
    opened.agent.on('POST /chat?id=c1', first.response);
    opened.agent.on('GET /chats/c1/stream?after=r1:1', ...OFFLINE(9));
    const turn = opened.conversation.send('hi');
    first.send(text('half of'));
    await opened.shows(() => opened.said().at(-1) === 'half of');
    first.cut();
    await turn;
    return opened;
  }
  const GONE = { phase: 'idle', items: [{}, { ending: 'lost', isLive: false }] };

  // Fails when what is there is dropped before the agent has sent anything: no other copy exists.
  it.each([
    ['has forgotten it', [new ApiError(404, 'gone')]],
    ['can’t be reached', OFFLINE(10)],
  ])('keeps its partial text when the agent %s', async (_name, answers) => {
    const storage = createStorage();
    const { agent, conversation, said } = await openLost(storage);
    agent.on('GET /chats/c1/stream', ...answers);
    await conversation.resume();
    expect(said()).toEqual(['> hi', 'half of']);
    expect(conversation.state.get()).toMatchObject(GONE);
    expect(createKeptChats(storage).read()).toMatchObject({ items: [{}, { parts: [text('half of')] }] });
  });

  it('shows the error when the agent refuses to send it', async () => {
    const { agent, conversation } = await openLost();
    agent.on('GET /chats/c1/stream', new ApiError(403, 'no'));
    await conversation.resume();
    expect(conversation.state.get().items.at(-1)).toMatchObject({ problem: 'no', isLive: false });
  });

  it('counts as lost when the frames are gone and no chat is stored', async () => {
    const { agent, conversation } = openConversation({ isStored: false });
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1/stream', new Response(null, { status: 204 }));
    const turn = conversation.send('hi');
    await agent.called('POST /chat?id=c1');
    stream.cut();
    await turn;
    expect(conversation.state.get()).toMatchObject(GONE);
  });

  // Fails when the cards of before stay while the frames come again: those without a key would stand there twice.
  it('has each card once when its frames come again after a reload', async () => {
    const storage = createStorage();
    const suggestion = { type: 'ui', action: 'suggest', suggestions: ['More'] } as const;
    const items = [
      { kind: 'question', content: 'hi', attachments: [] },
      { kind: 'answer', parts: [text('on')], cards: [suggestion], isLive: true },
    ] as const;
    createKeptChats(storage).write({ id: 'c1', items, isRunning: true });
    const { agent, conversation } = openConversation({ isStored: false, storage });
    const stream = createStream();
    agent.on('GET /chats/c1/stream', stream.response);
    stream.send(text('one'), suggestion);
    stream.end();
    await conversation.reopen(undefined);
    expect((conversation.state.get().items.at(-1) as AnswerItem).cards).toEqual([suggestion]);
  });
});

describe('a turn that is left', () => {
  it('changes nothing in the chat that was opened instead', async () => {
    const { agent, conversation, changes, said } = openConversation();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c2', chatOf([user('b'), assistant('B')], { id: 'c2' }));
    agent.on('GET /chats/c2/approvals', NONE);
    const turn = conversation.send('hi');
    await agent.called('POST /chat?id=c1');
    await conversation.open('c2');
    stream.send(text('late'), { type: 'ui', action: 'suggest', suggestions: ['x'] });
    stream.end();
    await turn;
    expect(said()).toEqual(['> b', 'B']);
    expect(conversation.state.get()).toMatchObject({ chatId: 'c2', phase: 'idle', isLost: false });
    expect((conversation.state.get().items.at(-1) as AnswerItem).cards).toEqual([]);
    expect(changes).toEqual(['c1']);
  });
});

it('keeps stopping when Stop was pressed before the turn began to answer', async () => {
  const { agent, conversation, said, shows } = openConversation();
  const response = Promise.withResolvers<Response>();
  const stream = createStream();
  agent.on('POST /chat?id=c1', response.promise);
  agent.on('POST /chats/c1/stop', { ok: true });
  agent.on('GET /chats/c1', chatOf([user('hi'), { ...assistant(''), status: 'stopped' }]));
  agent.on('GET /chats/c1/approvals', NONE);
  const turn = conversation.send('hi');
  await conversation.stop();
  response.resolve(stream.response);
  stream.send(text('Wh'));
  await shows(() => said().at(-1) === 'Wh');
  expect(conversation.state.get().phase).toBe('stopping');
  stream.end();
  await turn;
  expect(said()).toEqual(['> hi', '']);
  expect(conversation.state.get()).toMatchObject({ phase: 'idle', items: [{}, { ending: 'stopped' }] });
});

it('shows a turn without a question as part of the previous answer', async () => {
  const { agent, conversation, said } = await openChat();
  agent.on('GET /chats/c1?since=1', chatOf([assistant('and more')], { next: 2 }));
  agent.on('GET /chats/c1', chatOf([user('a'), assistant('A and more')], { next: 2 }));
  await conversation.refresh();
  expect(said()).toEqual(['> a', 'A and more']);
});
