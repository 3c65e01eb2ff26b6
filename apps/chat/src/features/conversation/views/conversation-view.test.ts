// @vitest-environment happy-dom
import { createElement, Fragment } from 'react';
import { beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { chatOf, createStream } from '../../../testing/fake-agent.ts';
import { type ChatScreenOptions, openChatScreen } from '../../../testing/open-chat-screen.ts';
import { assistant, NONE, text, user } from '../../../testing/open-conversation.ts';
import { t } from '../../../testing/open-screen.ts';
import { contentHash } from '../state/chat-calls.ts';
import { Announcer } from './announcer.tsx';
import { Composer } from './composer.tsx';
import { ConversationView } from './conversation-view.tsx';

// Answers are rendered by a component that is loaded on demand.
beforeAll(async () => void (await import('../../message-parts/part-view.tsx')));

const page = createElement(
  Fragment,
  {},
  createElement(ConversationView),
  createElement(Announcer),
  createElement(Composer),
);

async function open(options: ChatScreenOptions = {}) {
  const screen = await openChatScreen(page, options);
  const field = () => screen.get('textbox', t('compose.message'));
  const send = async (said: string) => {
    await screen.type(field(), said);
    await screen.key(field(), 'Enter');
  };
  /** What screen readers were told last of the answer. */
  const announced = () => screen.all('status').find((one) => one.getAttribute('aria-live') === 'polite')?.textContent;
  return { ...screen, announced, field, send };
}

async function openChat(messages = [user('a'), assistant('A')] as Parameters<typeof chatOf>[0]) {
  const screen = await open();
  screen.agent.on('GET /chats/c1', chatOf(messages));
  screen.agent.on('GET /chats/c1/approvals', NONE);
  await screen.run(() => screen.conversation.open('c1'));
  return screen;
}

describe('a message that was not sent', () => {
  async function openUnsent() {
    const screen = await open();
    screen.agent.on('POST /chat?id=c1', new ApiError(402, 'Your plan has no messages left.'));
    await screen.send('hello');
    return screen;
  }

  it('shows the reason, and can be sent again', async () => {
    const { agent, get, has, press, text: said } = await openUnsent();
    expect(get('alert').textContent).toBe(t('message.notSent', { problem: 'Your plan has no messages left.' }));
    agent.on('POST /chat?id=c1', createStream().response);
    await press(t('message.retry'));
    expect(has('alert')).toBe(false);
    expect(said()).toContain('hello');
  });

  // Fails when the draft stays under the ID of the chat that is no more: the text would leave the field for good.
  it('is discarded without losing the text in the field', async () => {
    const { drafts, field, has, press, type } = await openUnsent();
    await type(field(), 'something else');
    await press(t('message.discard'));
    expect(has('article', t('message.you'))).toBe(false);
    expect([field().value, drafts.read()]).toEqual(['something else', 'something else']);
  });

  it('says that it waits for a connection, and Stop cancels it', async () => {
    const { agent, get, has, press, send, text: said } = await open();
    agent.on('POST /chat?id=c1', new TypeError('offline'));
    agent.on('GET /chats/c1', new TypeError('offline'));
    agent.waitFor = () => new Promise(() => {});
    await send('hello');
    expect(said()).toContain(t('message.waiting'));
    await press(t('compose.stop'));
    expect(get('alert').textContent).toBe(t('message.unsent'));
    expect([has('button', t('message.retry')), has('button', t('message.discard'))]).toEqual([true, true]);
  });
});

describe('the last message', () => {
  it('is edited in place, and Escape leaves it as it was', async () => {
    const { get, has, key, press, type } = await openChat();
    await press(t('message.edit'));
    const field = get('textbox', t('message.edit'));
    expect([field.value, has('article', t('message.you'))]).toEqual(['a', false]);
    await type(field, 'b');
    const { isStopped } = await key(field, 'Escape');
    // The page's own Escape would stop an answer or close a pane.
    expect(isStopped).toBe(true);
    expect(get('article', t('message.you')).textContent).toBe('a');
    await press(t('message.edit'));
    expect(get('textbox', t('message.edit')).value).toBe('a');
  });

  it('is replaced by its edited text', async () => {
    const { agent, get, has, key, press, run, type } = await openChat();
    agent.on(`DELETE /chats/c1/last-exchange?expect=${await contentHash('a')}`, { ok: true });
    agent.on('POST /chat?id=c1', createStream().response);
    await press(t('message.edit'));
    await type(get('textbox', t('message.edit')), '  b ');
    await key(get('textbox', t('message.edit')), 'Enter');
    // The request follows a hash that a thread of its own computes, which `key` and `press` don't wait for.
    await run(() => agent.called('POST /chat?id=c1'));
    expect(agent.calls.at(-1)).toMatchObject({ call: 'POST /chat?id=c1', body: { messages: [user('b')] } });
    expect([get('article', t('message.you')).textContent, has('button', t('message.edit'))]).toEqual(['b', false]);
  });

  // Fails when the form forgets a text that the agent did not take.
  it('keeps the edited text when the agent refuses the edit', async () => {
    const { agent, get, key, press, run, text: said, type } = await openChat();
    const remove = `DELETE /chats/c1/last-exchange?expect=${await contentHash('a')}`;
    agent.on(remove, new ApiError(503, 'Try again later.'));
    await press(t('message.edit'));
    await type(get('textbox', t('message.edit')), 'a long story');
    await key(get('textbox', t('message.edit')), 'Enter');
    await run(() => agent.called(remove));
    expect(said()).toContain('Try again later.');
    expect(get('article', t('message.you')).textContent).toBe('a');
    await press(t('message.edit'));
    expect(get('textbox', t('message.edit')).value).toBe('a long story');
    await press('Cancel');
    await press(t('message.edit'));
    expect(get('textbox', t('message.edit')).value).toBe('a');
  });

  it('is not replaced by an empty text', async () => {
    const { agent, get, has, key, press, type } = await openChat();
    const before = agent.calls.length;
    await press(t('message.edit'));
    await type(get('textbox', t('message.edit')), '  ');
    await key(get('textbox', t('message.edit')), 'Enter');
    expect(agent.calls).toHaveLength(before);
    expect(has('textbox', t('message.edit'))).toBe(true);
  });

  it('is the only one with Edit, and its answer the only one with Answer again', async () => {
    const { all } = await openChat([user('a'), assistant('A'), user('b'), assistant('B')]);
    expect(all('article', undefined)).toHaveLength(4);
    expect([all('button', t('message.edit')).length, all('button', t('message.again')).length]).toEqual([1, 1]);
  });
});

describe('an answer', () => {
  it('that ended early says how, and Continue continues it', async () => {
    const { agent, press, text: said } = await openChat([user('a'), { ...assistant('A'), status: 'interrupted' }]);
    expect(said()).toContain(t('ending.interrupted'));
    agent.on('GET /chats/c1?since=1', chatOf([]));
    agent.on('POST /chat?id=c1', createStream().response);
    await press(t('message.continue'));
    expect(agent.calls.at(-1)).toMatchObject({ body: { messages: [user(t('message.goOn'))] } });
  });

  // Fails when the text of a failed answer and its button say different things.
  it('that failed offers to try again, as its error says', async () => {
    const failure = { type: 'callout', style: 'error', callout: 'The model is busy. Try again.' };
    const failed = { ...assistant(''), parts: [failure], status: 'failed' as const };
    const { agent, has, press, run, text: said } = await openChat([user('a'), failed]);
    expect(said()).not.toContain(t('ending.failed'));
    expect(has('button', t('message.continue'))).toBe(false);
    agent.on(`DELETE /chats/c1/last-exchange?expect=${await contentHash('a')}`, { ok: true });
    agent.on('POST /chat?id=c1', createStream().response);
    await press('Try again');
    await run(() => agent.called('POST /chat?id=c1'));
  });

  it('whose agent needs a message after a decision says so, and Continue sends one', async () => {
    const decision = { type: 'decision', key: 'k', tool: 't', decision: 'deny', by: 'ada', at: '' };
    const { agent, press, text: said } = await openChat([user('a'), { ...assistant(''), parts: [decision] }]);
    expect(said()).toContain(t('ending.decided'));
    agent.on('GET /chats/c1?since=1', chatOf([]));
    agent.on('POST /chat?id=c1', createStream().response);
    await press(t('message.continue'));
    expect(said()).not.toContain(t('ending.decided'));
  });

  it('that was lost is followed again on Retry', async () => {
    const {
      agent,
      conversation,
      press,
      run,
      send,
      text: said,
    } = await open({ config: { auth: false }, isStored: false });
    const first = createStream();
    agent.on('POST /chat?id=c1', first.response);
    agent.on('GET /chats/c1/stream?after=r1:1', ...Array.from({ length: 9 }, () => new TypeError('offline')));
    await send('hello');
    await run(() => first.send(text('one')));
    await run(() => first.cut());
    expect(conversation.state.get().phase).toBe('idle');
    expect(said()).toContain(t('ending.lost'));
    const again = createStream();
    agent.on('GET /chats/c1/stream', again.response);
    await press('Try again');
    await run(() => again.send(text('one'), text(' two')));
    await run(() => again.end());
    expect(said()).toContain('one two');
    expect(said()).not.toContain(t('ending.lost'));
  });

  it('says that its connection is lost until it is restored', async () => {
    const { agent, run, send, text: said } = await open();
    const [first, second] = [createStream(), createStream('r1', 2)];
    const waits = Promise.withResolvers<void>();
    agent.waitFor = () => waits.promise;
    agent.on('POST /chat?id=c1', first.response);
    agent.on('GET /chats/c1/stream?after=r1:1', second.response);
    await send('hello');
    await run(() => first.send(text('one')));
    await run(() => first.cut());
    expect(said()).toContain(t('message.lost'));
    await run(() => waits.resolve());
    await run(() => second.send(text(' two')));
    expect(said()).not.toContain(t('message.lost'));
  });

  it('that failed shows the error, and Retry requests another one', async () => {
    const { agent, press, run, send, text: said } = await open();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1/stream', new ApiError(403, 'You have left this workspace.'));
    await send('hello');
    await run(() => stream.cut());
    expect(said()).toContain('You have left this workspace.');
    agent.on(`DELETE /chats/c1/last-exchange?expect=${await contentHash('hello')}`, { ok: true });
    agent.on('POST /chat?id=c1', createStream().response);
    await press('Try again');
    // The hash of the deleted message is computed first, as it is for an edit.
    await run(() => agent.called('POST /chat?id=c1', 2));
    expect(agent.calls.at(-1)).toMatchObject({ call: 'POST /chat?id=c1', body: { messages: [user('hello')] } });
  });
});

describe('the announcement for screen readers', () => {
  it('tells when an answer begins and when it is complete', async () => {
    const { agent, announced, get, run, send } = await open();
    const stream = createStream();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1', chatOf([user('hello'), assistant('Hi.')]));
    agent.on('GET /chats/c1/approvals', NONE);
    expect(announced()).toBe('');
    await send('hello');
    expect(announced()).toBe(t('message.writing'));
    expect(get('article', t('message.answer')).getAttribute('aria-busy')).toBe('true');
    await run(() => stream.end());
    expect(announced()).toBe(t('message.done'));
    expect(get('article', t('message.answer')).getAttribute('aria-busy')).toBe('false');
  });

  // Fails when every answer that has ended is announced as complete.
  it.each([
    ['stopped', [], t('ending.stopped')],
    ['interrupted', [], t('ending.interrupted')],
    ['failed', [], t('ending.failed')],
    ['failed', [{ type: 'callout', style: 'error', callout: 'No.' }], t('message.failed', { problem: 'No.' })],
  ] as const)('tells how an answer ended: %s %j', async (status, parts, words) => {
    const { agent, announced, run, send } = await open();
    const stream = createStream();
    const stored = Promise.withResolvers<unknown>();
    agent.on('POST /chat?id=c1', stream.response);
    agent.on('GET /chats/c1', stored.promise);
    agent.on('GET /chats/c1/approvals', NONE);
    await send('hello');
    await run(() => stream.end());
    // Nothing is said before the stored chat has told.
    expect(announced()).toBe(t('message.writing'));
    await run(() => stored.resolve(chatOf([user('hello'), { ...assistant('Hi.'), parts: [...parts], status }])));
    expect(announced()).toBe(words);
  });

  it('tells that an answer is being stopped', async () => {
    const { agent, announced, press, send } = await open();
    agent.on('POST /chat?id=c1', createStream().response);
    agent.on('POST /chats/c1/stop', { ok: true });
    await send('hello');
    await press(t('compose.stop'));
    expect(announced()).toBe(t('compose.stopping'));
  });

  // Fails when the chat is not compared: the answer that goes on elsewhere would be said to be there.
  it('is empty after the person left a running answer', async () => {
    const { agent, announced, conversation, run, send } = await open();
    agent.on('POST /chat?id=c1', createStream().response);
    await send('hello');
    await run(() => conversation.open(undefined));
    expect(announced()).toBe('');
  });

  it('is empty after a message was refused', async () => {
    const { agent, announced, send } = await open();
    agent.on('POST /chat?id=c1', new ApiError(402, 'no'));
    await send('hello');
    expect(announced()).toBe('');
  });
});

it('shows that the browser is offline until it is online again', async () => {
  const { browser, fire, text: said } = await open();
  expect(said()).not.toContain(t('page.offline'));
  browser.navigator.onLine = false;
  await fire(browser.window, 'offline');
  expect(said()).toContain(t('page.offline'));
  browser.navigator.onLine = true;
  await fire(browser.window, 'online');
  expect(said()).not.toContain(t('page.offline'));
});

describe('an empty page', () => {
  it('suggests each message once, and sends the one that is chosen', async () => {
    const {
      agent,
      all,
      press,
      text: said,
    } = await open({
      config: { suggestions: ['Cook soup', 'Cook soup', 'Bake'], description: 'It cooks.' },
    });
    expect(said()).toContain('It cooks.');
    expect(all('button', 'Cook soup')).toHaveLength(1);
    agent.on('POST /chat?id=c1', createStream().response);
    await press('Cook soup');
    expect(agent.calls[0]).toMatchObject({ body: { messages: [user('Cook soup')] } });
  });

  it('says that a chat no longer exists', async () => {
    const { agent, conversation, run, text: said } = await open();
    agent.on('GET /chats/c1', new Response(null, { status: 204 }));
    await run(() => conversation.open('c1'));
    expect(said()).toContain(t('chats.missing'));
  });

  it('is not shown while a chat is loading or could not be read', async () => {
    const { agent, conversation, get, has, run } = await open({ config: { suggestions: ['Bake'] } });
    const chat = Promise.withResolvers<unknown>();
    agent.on('GET /chats/c1', chat.promise);
    await run(() => void conversation.open('c1'));
    expect(has('button', 'Bake')).toBe(false);
    await run(() => chat.reject(new ApiError(503, 'Try again later.')));
    expect(get('alert').textContent).toContain('Try again later.');
  });
});
