// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { createStorage } from '../../../testing/create-storage.ts';
import { chatOf, createStream } from '../../../testing/fake-agent.ts';
import { type ChatScreenOptions, openChatScreen } from '../../../testing/open-chat-screen.ts';
import { assistant, NONE, text, user } from '../../../testing/open-conversation.ts';
import { t } from '../../../testing/open-screen.ts';
import { createDrafts } from '../state/tab-storage.ts';
import { Composer } from './composer.tsx';

async function open(options: ChatScreenOptions = {}) {
  const screen = await openChatScreen(createElement(Composer), options);
  const field = () => screen.get('textbox', t('compose.message'));
  /** The messages that went to the agent. */
  const sent = () =>
    screen.agent.calls
      .filter(({ call }) => call.startsWith('POST /chat?'))
      .map(({ body }) => (body as { readonly messages: readonly { readonly content: string }[] }).messages[0]);
  const write = (value: string) => screen.type(field(), value);
  const enter = (fields?: Readonly<Record<string, unknown>>) => screen.key(field(), 'Enter', fields);
  /** Answers the next message with a turn that the test ends. */
  const answer = () => {
    const stream = createStream();
    screen.agent.on('POST /chat?id=c1', stream.response);
    return stream;
  };
  return { ...screen, field, sent, write, enter, answer };
}

/** A conversation with the stored chat c1, in which one question was answered. */
async function openInChat(options: ChatScreenOptions = {}) {
  const screen = await open(options);
  screen.agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
  screen.agent.on('GET /chats/c1/approvals', NONE);
  await screen.run(() => screen.conversation.open('c1'));
  return screen;
}

const file = (name: string) => new File(['x'], name, { type: 'text/plain' });

describe('keys', () => {
  it('send the trimmed text on Enter and clear the field', async () => {
    const { answer, enter, field, sent, write } = await open();
    answer();
    await write('  hello  ');
    const { defaultPrevented } = await enter();
    expect(sent()).toEqual([user('hello')]);
    expect([field().value, defaultPrevented]).toEqual(['', true]);
  });

  // Fails when `isComposing` isn't checked: the Enter that accepts a word of Japanese sends the message.
  it.each([
    ['Shift+Enter', { shiftKey: true }],
    ['the Enter of an input method', { isComposing: true }],
  ])('leave %s to the field', async (_name, fields) => {
    const { enter, field, sent, write } = await open();
    await write('hello');
    expect((await enter(fields)).defaultPrevented).toBe(false);
    expect([sent(), field().value]).toEqual([[], 'hello']);
  });

  it('send nothing when the field is empty', async () => {
    const { all, enter, sent, write } = await open();
    await write(' \n ');
    await enter();
    expect(sent()).toEqual([]);
    expect(all('button', t('compose.send'))[0]?.disabled).toBe(true);
  });
});

describe('while an answer streams', () => {
  // Fails when Enter empties the field although nothing is sent.
  it('Enter queues the text, and the button stops the answer, which keeps the queue', async () => {
    const { agent, answer, conversation, enter, field, get, press, queue, sent, storage, write } = await open();
    answer();
    agent.on('POST /chats/c1/stop', { ok: true });
    await write('first');
    await enter();
    await write('second');
    await enter();
    expect([sent().length, field().value]).toEqual([1, '']);
    expect(queue.state.get()).toMatchObject([{ text: 'second' }]);
    expect(storage.getItem('berth-queue:c1')).toContain('second');
    await press(t('queue.edit', { name: 'second' }));
    expect([field().value, queue.state.get()]).toEqual(['second', []]);
    await enter();
    await press(t('compose.stop'));
    expect(queue.state.get()).toHaveLength(1);
    expect(conversation.state.get().phase).toBe('stopping');
    expect(get('button', t('compose.stop')).disabled).toBe(true);
  });

  // Fails when a message that is written before the stored chat has told how the turn ended overtakes the queue.
  it('Enter queues the text behind what waits also when the answer has just ended', async () => {
    const { agent, answer, enter, field, queue, run, sent, write } = await open();
    const stream = answer();
    const chat = Promise.withResolvers<unknown>();
    agent.on('GET /chats/c1', chat.promise);
    agent.on('GET /chats/c1/approvals', NONE);
    for (const message of ['first', 'second']) {
      await write(message);
      await enter();
    }
    answer();
    await run(() => stream.end());
    await write('third');
    await enter();
    expect([sent(), field().value]).toEqual([[user('first')], '']);
    await run(() => chat.resolve(chatOf([user('first'), assistant('A')])));
    expect(sent()).toEqual([user('first'), user('second')]);
    expect(queue.state.get()).toMatchObject([{ text: 'third' }]);
  });

  // Fails when the field is emptied with the new ID: a suggestion that is pressed would take the text with it.
  it('a first turn that gives the chat its ID keeps the text in the field', async () => {
    const { answer, conversation, drafts, field, run, write } = await open();
    const stream = answer();
    await write('mine');
    await run(() => void conversation.send('a suggestion'));
    expect(conversation.state.get().chatId).toBe('c1');
    await run(() => stream.send(text('one')));
    expect([field().value, drafts.read('c1'), drafts.read()]).toEqual(['mine', 'mine', undefined]);
  });
});

describe('a message that can’t go yet', () => {
  // Fails when the field is emptied before the chat is loaded: the turn that runs in it refuses the message.
  it('is queued when the loading chat has a running turn', async () => {
    const { agent, conversation, enter, field, queue, run, sent, write } = await open();
    const chat = Promise.withResolvers<unknown>();
    agent.on('GET /chats/c1', chat.promise);
    agent.on('GET /chats/c1/stream', createStream().response);
    await run(() => void conversation.open('c1'));
    await write('hello');
    await enter();
    await run(() => chat.resolve(chatOf([user('a')], { run: 'running' })));
    expect(conversation.state.get().phase).toBe('running');
    expect([sent(), field().value]).toEqual([[], '']);
    expect(queue.state.get()).toMatchObject([{ text: 'hello' }]);
  });

  it('is sent once the chat is loaded', async () => {
    const { agent, answer, conversation, enter, field, run, sent, write } = await open();
    const chat = Promise.withResolvers<unknown>();
    agent.on('GET /chats/c1', chat.promise);
    agent.on('GET /chats/c1/approvals', NONE);
    answer();
    await run(() => void conversation.open('c1'));
    await write('hello');
    await enter();
    expect(sent()).toEqual([]);
    await run(() => chat.resolve(chatOf([user('a'), assistant('A')])));
    expect([sent(), field().value]).toEqual([[user('hello')], '']);
  });

  // Fails when a text that is written while the chat loads stays behind in a chat that does not exist.
  it.each([true, false])(
    'belongs to a new chat when the chat in the address does not exist (Enter: %s)',
    async (isSent) => {
      const { agent, answer, conversation, drafts, enter, field, run, sent, write } = await open();
      const chat = Promise.withResolvers<unknown>();
      agent.on('GET /chats/gone', chat.promise);
      answer();
      await run(() => void conversation.open('gone'));
      await write('hello');
      if (isSent) await enter();
      await run(() => chat.resolve(new Response(null, { status: 204 })));
      expect(sent()).toEqual(isSent ? [user('hello')] : []);
      const left = isSent ? undefined : 'hello';
      expect([field().value, drafts.read(), drafts.read('gone')]).toEqual([left ?? '', left, undefined]);
    },
  );

  // Fails when the message is sent in whichever chat is open by then.
  it('is not sent to another chat that is opened meanwhile', async () => {
    const { agent, conversation, drafts, enter, run, sent, write } = await open();
    const chat = Promise.withResolvers<unknown>();
    agent.on('GET /chats/c1', chat.promise);
    agent.on('GET /chats/c2', chatOf([user('b'), assistant('B')], { id: 'c2' }));
    agent.on('GET /chats/c2/approvals', NONE);
    await run(() => void conversation.open('c1'));
    await write('for c1');
    await enter();
    await run(() => conversation.open('c2'));
    await run(() => chat.resolve(chatOf([user('a'), assistant('A')])));
    expect([sent(), drafts.read('c1')]).toEqual([[], 'for c1']);
  });
});

describe('files', () => {
  // Fails when the text is read before the uploads have ended: what was typed meanwhile would be lost.
  it('delay the message, which has the text of the field by then', async () => {
    const { answer, enter, field, puts, run, sent, uploads, write } = await open();
    answer();
    await run(() => uploads.add([file('a.txt')]));
    await write('look');
    await enter();
    expect([sent(), field().value]).toEqual([[], 'look']);
    await write('look at this');
    await run(() => puts[0]?.arrive());
    expect(sent()).toMatchObject([{ content: 'look at this', attachments: [{ name: 'a.txt' }] }]);
    expect(field().value).toBe('');
  });

  it('are sent without text', async () => {
    const { all, answer, press, puts, run, sent, uploads } = await open();
    answer();
    await run(() => uploads.add([file('a.txt')]));
    await run(() => puts[0]?.arrive());
    await press(t('compose.send'));
    expect(sent()).toMatchObject([{ content: '', attachments: [{ name: 'a.txt' }] }]);
    expect(all('listitem')).toEqual([]);
  });

  it('that fail hold the message back with an error until a retry succeeds', async () => {
    const { answer, enter, field, get, press, puts, run, sent, uploads, write } = await open();
    answer();
    await run(() => uploads.add([file('a.txt')]));
    await write('look');
    await run(() => puts[0]?.fail(new ApiError(507, 'The disk is full.')));
    await enter();
    expect([sent(), field().value, get('alert').textContent]).toEqual([[], 'look', 'The disk is full.']);
    await press(t('compose.again', { name: 'a.txt' }));
    await run(() => puts[1]?.arrive());
    await enter();
    expect(sent()).toMatchObject([{ content: 'look', attachments: [{ name: 'a.txt' }] }]);
  });

  // Fails when the files that arrived leave the list before the others are looked at: they would go with no message.
  it('that arrived stay attached while another one has failed', async () => {
    const { answer, enter, press, puts, run, sent, uploads, write } = await open();
    answer();
    await run(() => uploads.add([file('a.txt'), file('b.txt')]));
    await write('look');
    await run(() => puts[0]?.arrive());
    await run(() => puts[1]?.fail(new Error('no room')));
    await enter();
    expect(sent()).toEqual([]);
    await press(t('compose.remove', { name: 'b.txt' }));
    await enter();
    expect(sent()).toMatchObject([{ content: 'look', attachments: [{ name: 'a.txt' }] }]);
  });

  // Fails when the message is sent in the chat that is open once the file has arrived.
  it('that arrive after another chat was opened send nothing there', async () => {
    const { conversation, drafts, enter, field, puts, run, sent, uploads, write } = await openInChat();
    await write('look');
    await run(() => uploads.add([file('a.txt')]));
    await enter();
    await run(() => conversation.open(undefined));
    await write('something else');
    await run(() => puts[0]?.arrive());
    expect([sent(), field().value, drafts.read('c1')]).toEqual([[], 'something else', 'look']);
    expect(uploads.state.get()).toMatchObject([{ name: 'a.txt' }]);
  });

  it('that are removed are canceled and not sent', async () => {
    const { answer, enter, press, puts, run, sent, uploads, write } = await open();
    answer();
    await run(() => uploads.add([file('a.txt')]));
    await press(t('compose.remove', { name: 'a.txt' }));
    expect(puts[0]?.signal.aborted).toBe(true);
    await write('hello');
    await enter();
    expect(sent()).toEqual([user('hello')]);
  });

  it('are taken from the clipboard and from the picker, which is reset', async () => {
    const { all, choose, field, fire, uploads } = await open();
    const pasted = await fire(field(), 'paste', { clipboardData: { files: [file('pasted.png')] } });
    expect(pasted.defaultPrevented).toBe(true);
    const [picker] = all('file', t('compose.files'));
    await choose(picker, file('picked.txt'));
    expect(uploads.state.get().map(({ name }) => name)).toEqual(['pasted.png', 'picked.txt']);
    expect(picker?.value).toBe('');
  });

  it('don’t affect pasted text', async () => {
    const { field, fire } = await open();
    expect((await fire(field(), 'paste', { clipboardData: { files: [] } })).defaultPrevented).toBe(false);
  });

  // Fails when an agent without workspaces takes files: it has nowhere to keep them.
  it('are not accepted by an agent without sign-in', async () => {
    const { field, fire, get, has, uploads } = await open({ config: { auth: false }, isStored: false });
    await fire(field(), 'paste', { clipboardData: { files: [file('a.png')] } });
    const dropped = { types: ['Files'], items: [], files: [file('a.png')] };
    await fire(get('form'), 'drop', { dataTransfer: dropped });
    expect([uploads.state.get(), has('button', t('compose.attach'))]).toEqual([[], false]);
  });
});

describe('files that are dropped', () => {
  const items = [{ webkitGetAsEntry: () => null }];

  // Fails when only the composer takes files, or the hint flickers while they are dragged from one element to the next.
  it('anywhere on the page show a hint while dragged, and are attached on drop', async () => {
    const { browser, field, fire, get, text: said, uploads } = await open();
    const { body } = browser.document;
    const dragged = await fire(body, 'dragover', { dataTransfer: { types: ['Files'] } });
    expect([dragged.defaultPrevented, said().includes(t('compose.drop'))]).toEqual([true, true]);
    await fire(body, 'dragleave', { relatedTarget: get('form') });
    expect(said()).toContain(t('compose.drop'));
    await fire(body, 'dragleave', { relatedTarget: null });
    expect(said()).not.toContain(t('compose.drop'));
    await fire(body, 'drop', { dataTransfer: { types: ['Files'], items, files: [file('a.txt')] } });
    expect(uploads.state.get()).toMatchObject([{ name: 'a.txt' }]);
    expect(browser.document.activeElement).toBe(field());
  });

  it('show no hint for dragged text', async () => {
    const { fire, get, text: said } = await open();
    await fire(get('form'), 'dragover', { dataTransfer: { types: ['text/plain'] } });
    expect(said()).not.toContain(t('compose.drop'));
  });

  // Fails when the rejection is dropped: the files would be missing without a word.
  it('show an error when they can’t be read', async () => {
    const { fire, get, text: said, uploads } = await open();
    const broken = {
      isFile: true,
      name: 'a',
      file: (_: unknown, reject: (error: Error) => void) => reject(new Error('gone')),
    };
    await fire(get('form'), 'drop', {
      dataTransfer: { types: ['Files'], items: [{ webkitGetAsEntry: () => broken }], files: [] },
    });
    expect(said()).toContain('gone');
    expect(uploads.state.get()).toEqual([]);
  });
});

describe('drafts', () => {
  it('are kept for each chat', async () => {
    const { conversation, field, run, write } = await openInChat();
    await write('in c1');
    await run(() => conversation.open(undefined));
    expect(field().value).toBe('');
    await write('in a new chat');
    await run(() => conversation.open('c1'));
    expect(field().value).toBe('in c1');
  });

  // Fails when sending empties the draft of a new chat, whatever chat is open.
  it('of a new chat survive a message sent in another chat', async () => {
    const { agent, answer, conversation, enter, field, run, sent, write } = await openInChat();
    await run(() => conversation.open(undefined));
    await write('a new one');
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
    await run(() => conversation.open('c1'));
    answer();
    await write('hello');
    await enter();
    expect(sent()).toEqual([user('hello')]);
    await run(() => conversation.open(undefined));
    expect(field().value).toBe('a new one');
  });

  it('of a new chat survive a visit to a chat that does not exist', async () => {
    const { agent, conversation, field, run, write } = await open();
    await write('a new one');
    agent.on('GET /chats/gone', new Response(null, { status: 204 }));
    await run(() => conversation.open('gone'));
    expect(field().value).toBe('a new one');
  });

  it('survive a reload, and are deleted once they are sent', async () => {
    const storage = createStorage();
    const first = await open({ storage });
    first.answer();
    await first.write('hello');
    await first.leave();
    const second = await open({ storage });
    expect(second.field().value).toBe('hello');
    second.answer();
    await second.enter();
    expect(createDrafts(storage).read()).toBeUndefined();
    expect(createDrafts(storage).read('c1')).toBeUndefined();
  });
});

it('takes the focus when a chat is opened', async () => {
  const { browser, conversation, field, run } = await open();
  expect(browser.document.activeElement).toBe(field());
  field().blur();
  await run(() => conversation.open('c1'));
  expect(browser.document.activeElement).toBe(field());
});
