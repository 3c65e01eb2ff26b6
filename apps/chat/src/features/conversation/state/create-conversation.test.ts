import type { UiFrame } from '@berth/contract/agent';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { createStorage } from '../../../testing/create-storage.ts';
import { chatOf, createStream } from '../../../testing/fake-agent.ts';
import { assistant, NONE, openConversation as open, text, user } from '../../../testing/open-conversation.ts';
import { contentHash } from './chat-calls.ts';
import type { AnswerItem } from './items.ts';

describe('a turn', () => {
  it('is shown as it comes, and is what the server keeps afterwards', async () => {
    const { agent, conversation, said, shows, changes } = open();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1', chatOf([user('hi'), { ...assistant('Hello.'), status: 'stopped' }]));
    agent.on('GET /chats/c1/approvals', NONE);
    const turn = conversation.send('hi');
    expect(conversation.state.get()).toMatchObject({ chatId: 'c1', phase: 'running' });
    stream.send({ type: 'chat_id', chat_id: 'c1' }, text('Hel'));
    await shows(() => said().at(-1) === 'Hel');
    stream.send(text('lo.'));
    stream.end();
    await turn;
    expect(said()).toEqual(['> hi', 'Hello.']);
    expect(conversation.state.get()).toMatchObject({
      phase: 'idle',
      items: [{}, { ending: 'stopped', isLive: false }],
    });
    expect(agent.calls[0]?.body).toMatchObject({ messages: [user('hi')], detach: true });
    expect(changes).toEqual(['c1', 'c1']);
  });

  it('goes on where its connection broke, each character once', async () => {
    const { agent, conversation, said, shows } = open();
    const [first, second] = [createStream(), createStream('r1', 3)];
    agent.on('POST /chat?id=c1', first.response);
    agent.on('GET /chats/c1/stream?after=r1:2', new TypeError('offline'), second.response);
    agent.on('GET /chats/c1', chatOf([user('hi'), assistant('one two')]));
    agent.on('GET /chats/c1/approvals', NONE);
    const turn = conversation.send('hi');
    first.send({ type: 'chat_id', chat_id: 'c1' }, text('one '));
    await shows(() => said().at(-1) === 'one');
    first.cut();
    await shows(() => conversation.state.get().isLost);
    second.send(text('two'));
    await shows(() => !conversation.state.get().isLost);
    second.end();
    await turn;
    expect(said()).toEqual(['> hi', 'one two']);
  });

  it('keeps what was asked while it finds out what waits still', async () => {
    const { agent, conversation, shows } = open();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1', chatOf([user('hi'), assistant('May I?')]));
    const waiting = { ...{ tool: 'wipe', key: 'k', label: 'Wipe', args: {} }, expires_at: '2026-01-02T00:00:00.000Z' };
    agent.on('GET /chats/c1/approvals', [waiting]);
    const counts = new Set<number>();
    const turn = conversation.send('hi');
    stream.send(text('May I?'), { type: 'ui', action: 'confirm', ...waiting });
    const cardsOf = () => (conversation.state.get().items.at(-1) as { readonly cards?: readonly unknown[] }).cards;
    await shows(() => cardsOf()?.length === 1);
    conversation.state.subscribe(() => counts.add(cardsOf()?.length ?? 0));
    stream.end();
    await turn;
    expect([...counts]).toEqual([1]);
  });

  it('keeps a message that did not get through, and sends it again', async () => {
    const { agent, conversation, said } = open();
    agent.on('POST /chat?id=c1', new ApiError(402, 'Your plan has no messages left.'));
    await conversation.send('hi');
    expect(conversation.state.get()).toMatchObject({
      phase: 'idle',
      items: [{ problem: 'Your plan has no messages left.' }],
    });
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1', chatOf([user('hi'), assistant('Hello.')]));
    agent.on('GET /chats/c1/approvals', NONE);
    stream.send(text('Hello.'));
    stream.end();
    await conversation.retry();
    expect(said()).toEqual(['> hi', 'Hello.']);
    expect(agent.calls.filter(({ call }) => call.startsWith('DELETE'))).toEqual([]);
  });

  it('waits for the network, is sent once, and can be called off', async () => {
    const { agent, conversation, said, shows } = open();
    const stream = createStream();
    const waits = Promise.withResolvers<void>();
    agent.on('POST /chat?id=c1', new TypeError('offline'), stream.response);
    agent.on('GET /chats/c1', new TypeError('offline'), chatOf([user('hi'), assistant('Hello.')]));
    agent.on('GET /chats/c1/approvals', NONE);
    agent.waitFor = () => waits.promise;
    const turn = conversation.send('hi');
    await shows(() => conversation.state.get().items.length === 1);
    expect(conversation.state.get()).toMatchObject({ phase: 'running', items: [{ isWaiting: true }] });
    stream.send(text('Hello.'));
    stream.end();
    waits.resolve();
    await turn;
    expect(said()).toEqual(['> hi', 'Hello.']);
    agent.on('POST /chat?id=c1', new TypeError('offline'));
    agent.on('GET /chats/c1', new TypeError('offline'));
    agent.waitFor = () => new Promise(() => {});
    const other = conversation.send('more');
    await shows(() => conversation.state.get().items.at(-1)?.kind === 'question');
    await conversation.stop();
    await other;
    expect(conversation.state.get()).toMatchObject({ phase: 'idle', items: [{}, {}, { problem: 'unsent' }] });
    conversation.discard();
    expect(said()).toEqual(['> hi', 'Hello.']);
  });

  it('has a message that was on its way after a reload, unless it arrived', async () => {
    const storage = createStorage();
    const first = open({ storage });
    first.agent.on('POST /chat?id=c1', new Promise(() => {}));
    void first.conversation.send('hi');
    await first.agent.called('POST /chat?id=c1');
    const second = open({ storage });
    await second.conversation.reopen(undefined);
    expect(second.conversation.state.get().items).toMatchObject([{ content: 'hi', problem: 'unsent' }]);
    // For a stored chat, the page first checks whether the message has arrived.
    const third = open();
    third.agent.on('GET /chats/c1', chatOf([user('hi'), assistant('Hello.')]));
    third.agent.on('GET /chats/c1/approvals', NONE, NONE, NONE, NONE);
    third.agent.on('POST /chat?id=c1', new Promise(() => {}));
    await third.conversation.open('c1');
    void third.conversation.send('more');
    await third.agent.called('POST /chat?id=c1');
    const later = chatOf([user('hi'), assistant('Hello.'), user('more'), assistant('Yes.')]);
    for (const [chat, last] of [
      [chatOf([user('hi'), assistant('Hello.')]), '> more'],
      [later, 'Yes.'],
      [chatOf([user('hi'), assistant('Hello.')]), 'Hello.'],
    ] as const) {
      const fourth = open({ storage: third.storage });
      fourth.agent.on('GET /chats/c1', chat);
      fourth.agent.on('GET /chats/c1/approvals', NONE);
      await fourth.conversation.reopen('c1');
      expect(fourth.said().at(-1)).toBe(last);
    }
  });

  it('finds its answer when the connection broke before any of it came', async () => {
    const { agent, conversation, said } = open();
    const stream = createStream();
    agent.on('POST /chat?id=c1', new TypeError('network error'));
    agent.on('GET /chats/c1', chatOf([user('hi')], { run: 'running' }), chatOf([user('hi'), assistant('Hello.')]));
    agent.on('GET /chats/c1/stream', stream.response);
    agent.on('GET /chats/c1/approvals', NONE);
    stream.send(text('Hello.'));
    stream.end();
    await conversation.send('hi');
    expect(said()).toEqual(['> hi', 'Hello.']);
    expect(agent.calls.filter(({ call }) => call.startsWith('POST'))).toHaveLength(1);
  });

  it('is stopped once, and its end is told by the stream', async () => {
    const { agent, conversation, shows } = open();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('POST /chats/c1/stop', { stopping: true });
    agent.on('GET /chats/c1', chatOf([user('hi'), { ...assistant('one'), status: 'stopped' }]));
    agent.on('GET /chats/c1/approvals', NONE);
    const turn = conversation.send('hi');
    stream.send(text('one'));
    await shows(() => conversation.state.get().phase === 'running');
    await Promise.all([conversation.stop(), conversation.stop()]);
    expect(conversation.state.get().phase).toBe('stopping');
    stream.end();
    await turn;
    expect(agent.calls.filter(({ call }) => call === 'POST /chats/c1/stop')).toHaveLength(1);
    expect(conversation.state.get().items.at(-1)).toMatchObject({ ending: 'stopped' });
  });
});

describe('a chat that is opened', () => {
  it('takes up the turn that runs in it', async () => {
    const { agent, conversation, said } = open();
    const stream = createStream();
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A'), user('b')], { run: 'running', next: 3 }));
    agent.on('GET /chats/c1?since=3', chatOf([assistant('B')], { next: 4 }));
    agent.on('GET /chats/c1/stream', stream.response);
    agent.on('GET /chats/c1/approvals', NONE);
    stream.send(text('B'));
    stream.end();
    await conversation.open('c1');
    expect(said()).toEqual(['> a', 'A', '> b', 'B']);
  });

  it('asks for what came since, and reads all when what it has is outdated', async () => {
    const { agent, conversation, said } = open();
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', NONE, NONE, NONE);
    await conversation.open('c1');
    agent.on('GET /chats/c1?since=1', chatOf([user('b'), assistant('B')], { next: 2 }));
    await conversation.refresh();
    expect(said()).toEqual(['> a', 'A', '> b', 'B']);
    agent.on('GET /chats/c1?since=2', chatOf([user('c'), assistant('C')], { reset: true }));
    await conversation.refresh();
    expect(said()).toEqual(['> c', 'C']);
  });

  it('has each message once, however many readings are under way', async () => {
    const { agent, conversation, said } = open();
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', NONE, NONE, NONE);
    await conversation.open('c1');
    const news = chatOf([user('b'), assistant('B')], { next: 2 });
    agent.on('GET /chats/c1?since=1', news, news);
    agent.on('GET /chats/c1?since=2', chatOf([], { next: 2 }), chatOf([], { next: 2 }));
    await Promise.all([conversation.refresh(), conversation.refresh()]);
    expect(said()).toEqual(['> a', 'A', '> b', 'B']);
  });

  it('is not mixed with the one that was opened after it', async () => {
    const { agent, conversation, said } = open();
    const late = Promise.withResolvers<Response>();
    const { send } = agent;
    agent.send = async (path, init) => (path === '/chats/slow' ? await late.promise : await send(path, init));
    agent.on('GET /chats/c1', chatOf([user('a')]));
    const slow = conversation.open('slow');
    await conversation.open('c1');
    late.resolve(Response.json(chatOf([user('slow')])));
    await slow;
    expect(said()).toEqual(['> a']);
  });

  it('says so when it is not there any more', async () => {
    const { agent, conversation } = open();
    agent.on('GET /chats/c1', new Response(null, { status: 204 }));
    await conversation.open('c1');
    expect(conversation.state.get()).toMatchObject({ isMissing: true, chatId: undefined });
  });
});

describe('the last message', () => {
  it('is said otherwise: taken back by its hash, and sent anew', async () => {
    const { agent, conversation, said } = open();
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]), chatOf([user('b'), assistant('B')]));
    agent.on('GET /chats/c1/approvals', NONE, NONE);
    await conversation.open('c1');
    const stream = createStream('r2');
    agent.on(`DELETE /chats/c1/last-exchange?expect=${await contentHash('a')}`, { ok: true });
    agent.on('POST /chat?id=c1', stream.response);
    stream.send(text('B'));
    stream.end();
    await conversation.edit('b');
    expect(said()).toEqual(['> b', 'B']);
  });

  it('stays when it can not be taken back', async () => {
    const { agent, conversation, said } = open();
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', NONE);
    await conversation.open('c1');
    const hash = await contentHash('a');
    agent.on(`DELETE /chats/c1/last-exchange?expect=${hash}`, new ApiError(412, 'It is another one by now.'));
    await conversation.retry();
    expect(said()).toEqual(['> a', 'A']);
    expect(conversation.state.get()).toMatchObject({ phase: 'idle', problem: 'It is another one by now.' });
  });
});

it('records every decision, and sends nothing by itself', async () => {
  const { agent, conversation } = open();
  const call = (key: string) => ({ tool: 't', key, label: 'l', args: {}, expires_at: '2026-01-01T00:00:00Z' });
  agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
  agent.on('GET /chats/c1/approvals', [call('k1'), call('k2')]);
  agent.on('POST /chats/c1/approvals/k1', { ok: true });
  agent.on('POST /chats/c1/approvals/k2', { ok: true });
  await conversation.open('c1');
  const cards = () => (conversation.state.get().items.at(-1) as AnswerItem).cards;
  const [one, other] = cards();
  await conversation.decide(one as UiFrame, 'approve');
  await conversation.decide(other as UiFrame, 'deny');
  expect(cards()).toEqual([]);
  expect(agent.calls.at(-1)?.body).toEqual({ decision: 'deny' });
});

// Fails when the page makes up a message, keeps the card, or continues an answer that only a message can continue.
it('follows an answer that continues once its connector is connected', async () => {
  const { agent, conversation, said } = open();
  const [first, second] = [createStream('r1'), createStream('r2')];
  agent.on('POST /chat?id=c1', first.response);
  const sent = conversation.send('a');
  first.send(text('I look.'), { type: 'ui', action: 'connect', connector: 'mail' });
  first.end();
  agent.on('GET /chats/c1', chatOf([user('a'), assistant('I look.')]));
  agent.on('GET /chats/c1/approvals', [], []);
  await sent;
  const answer = () => conversation.state.get().items.at(-1) as AnswerItem;
  const [card] = answer().cards as [UiFrame];
  agent.on('POST /chats/c1/continue', new ApiError(409, 'send a message'), { run: 'r2' });
  expect(await conversation.continueConnected(card)).toBe(false);
  expect(answer().cards).toEqual([card]);
  agent.on('GET /chats/c1/stream', second.response);
  expect(await conversation.continueConnected(card)).toBe(true);
  expect([conversation.state.get().phase, answer().cards]).toEqual(['running', []]);
  second.send({ type: 'chat_id', chat_id: 'c1' }, text(' Found.'));
  second.end();
  await agent.called('GET /chats/c1?since=1');
  expect(said()).toEqual(['> a', 'I look. Found.']);
  expect(agent.calls.filter(({ call: one }) => one.startsWith('POST /chat?'))).toHaveLength(1);
});

// Fails when the page makes up a message, begins a new answer, or drops what the answer has.
it('follows an answer that goes on by itself after a decision', async () => {
  const { agent, conversation, said } = open();
  const call = { tool: 't', key: 'k1', label: 'l', args: {}, expires_at: '2026-01-01T00:00:00Z' };
  const asked = {
    role: 'assistant' as const,
    content: 'A',
    parts: [text('A'), { type: 'step', id: 's1', pending: true }],
  };
  agent.on('GET /chats/c1', chatOf([user('a'), asked]));
  agent.on('GET /chats/c1/approvals', [call], []);
  agent.on('POST /chats/c1/approvals/k1', { ok: true, run: 'r2' });
  const stream = createStream('r2');
  agent.on('GET /chats/c1/stream', stream.response);
  await conversation.open('c1');
  const answer = () => conversation.state.get().items.at(-1) as AnswerItem;
  await conversation.decide(answer().cards[0] as UiFrame, 'approve');
  expect(conversation.state.get()).toMatchObject({ phase: 'running' });
  stream.send({ type: 'chat_id', chat_id: 'c1' }, { type: 'step', id: 's1', pending: false, ok: true }, text('Done.'));
  stream.end();
  agent.on('GET /chats/c1?since=1', chatOf([user('a'), asked]));
  await agent.called('GET /chats/c1?since=1');
  expect(answer().parts).toEqual([
    ...[text('A'), { type: 'step', id: 's1', pending: false, ok: true }],
    { type: 'decision', key: 'k1', tool: 't', label: 'l', decision: 'approve', by: '', at: '' },
    text('Done.'),
  ]);
  expect(said()).toEqual(['> a', 'ADone.']);
  expect(agent.calls.filter(({ call: one }) => one.startsWith('POST /chat?'))).toEqual([]);
});

// Fails when a turn without a message begins another answer below the one that it goes on with.
it('shows an answer that goes on as one, also when the chat is opened meanwhile', async () => {
  const { agent, conversation, said } = open();
  agent.on(
    'GET /chats/c1',
    chatOf([user('a'), assistant('A')], { run: 'running' }),
    chatOf([user('a'), assistant('A')]),
  );
  agent.on('GET /chats/c1/approvals', []);
  const stream = createStream('r2');
  agent.on('GET /chats/c1/stream', stream.response);
  const opening = conversation.open('c1');
  await agent.called('GET /chats/c1/stream');
  stream.send(text(' and B'));
  stream.end();
  agent.on('GET /chats/c1?since=1', chatOf([]));
  await opening;
  expect(said()).toEqual(['> a', 'A and B']);
});

it('keeps a chat for the tab where the server keeps none, and tells the agent all of it', async () => {
  const { agent, conversation, storage } = open({ isStored: false });
  const stream = createStream();
  agent.on('POST /chat?id=c1', stream.response);
  stream.send(text('Hello.'));
  stream.end();
  await conversation.send('hi');
  const again = open({ isStored: false, storage });
  await again.conversation.reopen(undefined);
  expect(again.said()).toEqual(['> hi', 'Hello.']);
  const second = createStream('r2');
  again.agent.on('POST /chat?id=c1', second.response);
  second.end();
  await again.conversation.send('more');
  expect(again.agent.calls[0]?.body).toMatchObject({
    messages: [user('hi'), { role: 'assistant', content: 'Hello.' }, user('more')],
  });
  await again.conversation.open(undefined);
  expect(storage.getItem('berth-chat')).toBeNull();
});
