import type { UiFrame } from '@berth/contract/agent';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { createStorage } from '../../../testing/create-storage.ts';
import { chatOf, createStream } from '../../../testing/fake-agent.ts';
import { assistant, NONE, openConversation, text, user } from '../../../testing/open-conversation.ts';
import type { AnswerItem } from './items.ts';
import { createKeptChats, createOutbox } from './tab-storage.ts';

const NEW_CHAT = { chatId: undefined, items: [], phase: 'idle', problem: undefined, isMissing: false };

/** A conversation with the chat `c1`, in which one question was answered. */
async function openChat() {
  const opened = openConversation();
  opened.agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
  opened.agent.on('GET /chats/c1/approvals', NONE);
  await opened.conversation.open('c1');
  return opened;
}

const cardsOf = (items: readonly unknown[]) => (items.at(-1) as AnswerItem).cards;
const approval = (key: string) => ({ tool: 't', key, label: key, args: {}, expires_at: '2026-01-01T00:00:00Z' });

describe('a message that was not sent', () => {
  /** A new chat whose first message was refused. */
  async function openUnsent(storage = createStorage()) {
    const opened = openConversation({ storage });
    opened.agent.on('POST /chat?id=c1', new ApiError(402, 'no'));
    await opened.conversation.send('hi');
    return opened;
  }

  it('can be dropped, and a chat with nothing else in it is new again', async () => {
    const { conversation } = await openUnsent();
    conversation.discard();
    expect(conversation.state.get()).toMatchObject(NEW_CHAT);
  });

  // Fails when a dropped message stays in the storage: a reload would bring it back.
  it('does not come back after a reload once it is dropped', async () => {
    const storage = createStorage();
    const { conversation } = await openUnsent(storage);
    expect(createOutbox(storage).read()).toMatchObject({ question: { content: 'hi' } });
    conversation.discard();
    expect(createOutbox(storage).read()).toBeUndefined();
  });

  it('goes without those that were sent before it', async () => {
    const { agent, conversation, said } = await openChat();
    agent.on('POST /chat?id=c1', new ApiError(402, 'no'));
    agent.on('GET /chats/c1?since=1', chatOf([]));
    await conversation.send('b');
    expect(said()).toEqual(['> a', 'A', '> b']);
    conversation.discard();
    expect(said()).toEqual(['> a', 'A']);
    expect(conversation.state.get().chatId).toBe('c1');
  });

  it('makes room for the next message', async () => {
    const { agent, conversation, said } = await openUnsent();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1', chatOf([user('other'), assistant('Yes.')]));
    agent.on('GET /chats/c1/approvals', NONE);
    stream.send(text('Yes.'));
    stream.end();
    await conversation.send('other');
    expect(said()).toEqual(['> other', 'Yes.']);
  });
});

describe('another answer', () => {
  it('is asked for by taking the question back and sending it again', async () => {
    const { agent, conversation, said } = await openChat();
    const stream = createStream('r2');
    agent.on('DELETE /chats/c1/last-exchange?expect=ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb', {
      ok: true,
    });
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('B')]));
    agent.on('GET /chats/c1/approvals', NONE);
    stream.send(text('B'));
    stream.end();
    await conversation.retry();
    expect(said()).toEqual(['> a', 'B']);
  });

  it('is not asked for where nobody has asked anything', async () => {
    const { agent, conversation } = openConversation();
    await conversation.retry();
    expect(agent.calls).toEqual([]);
    expect(conversation.state.get()).toMatchObject(NEW_CHAT);
  });

  // Fails when the phase is not checked: two turns of one chat would write into the same answer.
  it('is not asked for while one is written', async () => {
    const { agent, conversation, shows, said } = await openChat();
    const stream = createStream('r2');
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1?since=1', chatOf([user('b'), assistant('B')]));
    agent.on('GET /chats/c1/approvals', NONE);
    const turn = conversation.send('b');
    stream.send(text('B'));
    await shows(() => said().at(-1) === 'B');
    const before = agent.calls.length;
    await conversation.retry();
    await conversation.edit('c');
    await conversation.send('d');
    expect(agent.calls).toHaveLength(before);
    stream.end();
    await turn;
  });
});

describe('stopping', () => {
  it('does nothing while nothing runs', async () => {
    const { agent, conversation } = await openChat();
    const before = agent.calls.length;
    await conversation.stop();
    expect(agent.calls).toHaveLength(before);
    expect(conversation.state.get().phase).toBe('idle');
  });

  it('goes on with the answer where the agent has no turn to stop', async () => {
    const { agent, conversation, shows, said } = openConversation();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1', chatOf([user('hi'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', NONE);
    const turn = conversation.send('hi');
    stream.send(text('A'));
    await shows(() => said().at(-1) === 'A');
    await conversation.stop();
    expect(conversation.state.get()).toMatchObject({ phase: 'running', problem: undefined });
    stream.end();
    await turn;
  });

  it('says why it failed, and can be tried again', async () => {
    const { agent, conversation, shows, said } = openConversation();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('POST /chats/c1/stop', new ApiError(503, 'not now'), { ok: true });
    agent.on('GET /chats/c1', chatOf([user('hi'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', NONE);
    const turn = conversation.send('hi');
    stream.send(text('A'));
    await shows(() => said().at(-1) === 'A');
    await conversation.stop();
    expect(conversation.state.get()).toMatchObject({ phase: 'running', problem: 'not now' });
    await conversation.stop();
    expect(conversation.state.get().phase).toBe('stopping');
    stream.end();
    await turn;
    expect(conversation.state.get().phase).toBe('idle');
  });
});

describe('an answer whose connection was lost for good', () => {
  it('is followed again from its first frame, where the tab keeps the chat', async () => {
    const { agent, conversation, said, shows } = openConversation({ isStored: false });
    const first = createStream();
    agent.on('POST /chat?id=c1', first.response);
    first.send(text('one'));
    agent.on('GET /chats/c1/stream?after=r1:1', ...Array.from({ length: 9 }, () => new TypeError('offline')));
    const turn = conversation.send('hi');
    await shows(() => said().at(-1) === 'one');
    first.cut();
    await turn;
    expect(conversation.state.get()).toMatchObject({ phase: 'idle', items: [{}, { ending: 'lost', isLive: false }] });
    const again = createStream();
    agent.on('GET /chats/c1/stream', again.response);
    again.send(text('one'), text(' two'));
    again.end();
    await conversation.resume();
    expect(said()).toEqual(['> hi', 'one two']);
    expect(conversation.state.get().items.at(-1)).not.toHaveProperty('ending');
  });

  it('is read from the chat, where the agent stores it', async () => {
    const { agent, conversation, said } = await openChat();
    agent.on('GET /chats/c1?since=1', chatOf([user('b'), assistant('B')]));
    agent.on('GET /chats/c1/approvals', NONE);
    await conversation.resume();
    expect(said()).toEqual(['> a', 'A', '> b', 'B']);
  });

  it('is not looked for without a chat', async () => {
    const { agent, conversation } = openConversation();
    await conversation.resume();
    expect(agent.calls).toEqual([]);
  });
});

describe('a card', () => {
  it('goes once it is decided, and the others stay', async () => {
    const { agent, conversation } = openConversation();
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', [approval('k1'), approval('k2')]);
    agent.on('POST /chats/c1/approvals/k1', { ok: true });
    await conversation.open('c1');
    const [card] = cardsOf(conversation.state.get().items);
    await conversation.decide(card as UiFrame, 'approve', { path: 'b' });
    expect(cardsOf(conversation.state.get().items)).toMatchObject([{ key: 'k2' }]);
    // Fails when the decision is shown only once the answer has ended.
    expect(conversation.state.get().items.at(-1)).toMatchObject({
      parts: [{ type: 'text' }, { type: 'decision', key: 'k1', decision: 'approve' }],
    });
    expect(agent.calls.at(-1)?.body).toEqual({ decision: 'approve', args: { path: 'b' } });
  });

  // Fails when a card is taken away although the agent was not told: the turn would wait for ever.
  it('stays when the agent could not be told', async () => {
    const { agent, conversation } = openConversation();
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', [approval('k1')]);
    agent.on('POST /chats/c1/approvals/k1', new ApiError(503, 'not now'));
    await conversation.open('c1');
    const [card] = cardsOf(conversation.state.get().items);
    await expect(conversation.decide(card as UiFrame, 'deny')).rejects.toThrow('not now');
    expect(cardsOf(conversation.state.get().items)).toHaveLength(1);
  });

  it('does not go on in a chat that was opened meanwhile', async () => {
    const { agent, conversation } = openConversation();
    const told = Promise.withResolvers<unknown>();
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', [approval('k1')]);
    agent.on('POST /chats/c1/approvals/k1', told.promise);
    agent.on('GET /chats/c2', chatOf([user('b'), assistant('B')], { id: 'c2' }));
    agent.on('GET /chats/c2/approvals', [approval('k1')]);
    await conversation.open('c1');
    const [card] = cardsOf(conversation.state.get().items);
    const decided = conversation.decide(card as UiFrame, 'approve');
    await conversation.open('c2');
    told.resolve({ ok: true });
    await decided;
    expect(cardsOf(conversation.state.get().items)).toHaveLength(1);
  });

  it('is nothing without a chat', async () => {
    const { agent, conversation } = openConversation();
    await conversation.decide({ type: 'ui', action: 'confirm', key: 'k' }, 'approve');
    expect(agent.calls).toEqual([]);
  });
});

describe('opening a chat', () => {
  it('says why it could not be read', async () => {
    const { agent, conversation } = openConversation();
    agent.on('GET /chats/c1', new ApiError(503, 'not now'));
    await conversation.open('c1');
    expect(conversation.state.get()).toMatchObject({ chatId: 'c1', phase: 'idle', problem: 'not now' });
  });

  it('waits with a message until the chat is there', async () => {
    const { agent, conversation, said } = openConversation();
    const chat = Promise.withResolvers<unknown>();
    const stream = createStream();
    agent.on('GET /chats/c1', chat.promise);
    agent.on('GET /chats/c1/approvals', NONE, NONE);
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1?since=1', chatOf([user('b'), assistant('B')]));
    stream.send(text('B'));
    stream.end();
    const opened = conversation.open('c1');
    const sent = conversation.send('b');
    expect(agent.calls.map(({ call }) => call)).toEqual(['GET /chats/c1']);
    chat.resolve(chatOf([user('a'), assistant('A')]));
    await Promise.all([opened, sent]);
    expect(said()).toEqual(['> a', 'A', '> b', 'B']);
  });

  it('of none begins a new one', async () => {
    const { conversation } = await openChat();
    await conversation.open(undefined);
    expect(conversation.state.get()).toMatchObject(NEW_CHAT);
  });

  it('after a reload goes on with the turn of a chat that only the tab has', async () => {
    const storage = createStorage();
    const items = [
      { kind: 'question', content: 'hi', attachments: [] },
      { kind: 'answer', parts: [text('on')], cards: [], isLive: true },
    ] as const;
    createKeptChats(storage).write({ id: 'c1', items, isRunning: true });
    const { agent, conversation, said } = openConversation({ isStored: false, storage });
    const stream = createStream();
    agent.on('GET /chats/c1/stream', stream.response);
    stream.send(text('one'));
    stream.end();
    await conversation.reopen(undefined);
    expect(said()).toEqual(['> hi', 'one']);
    expect(createKeptChats(storage).read()).toMatchObject({ isRunning: false });
  });
});

describe('a refresh', () => {
  it('does nothing while a turn runs', async () => {
    const { agent, conversation } = openConversation();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1', chatOf([user('hi'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', NONE);
    const turn = conversation.send('hi');
    await agent.called('POST /chat?id=c1');
    await conversation.refresh();
    expect(agent.calls).toHaveLength(1);
    stream.send(text('A'));
    stream.end();
    await turn;
  });

  it('that fails changes nothing, and the next one reads the same', async () => {
    const { agent, conversation, said } = await openChat();
    agent.on('GET /chats/c1?since=1', new TypeError('offline'), chatOf([user('b'), assistant('B')]));
    agent.on('GET /chats/c1/approvals', NONE);
    await conversation.refresh();
    expect(said()).toEqual(['> a', 'A']);
    expect(conversation.state.get().problem).toBeUndefined();
    await conversation.refresh();
    expect(said()).toEqual(['> a', 'A', '> b', 'B']);
  });
});
