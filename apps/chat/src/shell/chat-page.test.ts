// @vitest-environment happy-dom
import { createElement } from 'react';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { chatOf, createStream } from '../testing/fake-agent.ts';
import { type ChatScreenOptions, openChatScreen } from '../testing/open-chat-screen.ts';
import { assistant, NONE, user } from '../testing/open-conversation.ts';
import { openBrowser, t } from '../testing/open-screen.ts';
import { ChatPage } from './chat-page.tsx';

// Loaded on first use.
beforeAll(
  async () => void (await Promise.all([import('./files-pane.tsx'), import('../features/message-parts/part-view.tsx')])),
);

interface PageOptions extends ChatScreenOptions {
  /** What the browser has kept. */
  readonly kept?: Readonly<Record<string, string>>;
}

/** The page at an address. */
async function open(search = '', { kept = {}, ...options }: PageOptions = {}) {
  const location = { origin: 'https://agent.example.com', pathname: '/', search, assign: vi.fn() };
  const browser = openBrowser({ location });
  const screen = await openChatScreen(createElement('div'), { browser, ...options });
  const { agent } = screen;
  agent.on('GET /chats?limit=100', [chatOf([], { title: 'Soup' })], [], []);
  agent.on('GET /files?path=&sort=name', [], []);
  agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
  agent.on('GET /chats/c1/approvals', NONE, NONE);
  for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value);
  await screen.showInside(createElement(ChatPage, { onSignIn: async () => {} }));
  const field = () => screen.get('textbox', t('compose.message'));
  /** Presses a key where the focus is. */
  const press = (key: string, fields = {}) => screen.key(browser.document.activeElement, key, { code: '', ...fields });
  const areFilesOpen = () => screen.has('searchbox', t('files.search'));
  return { ...screen, areFilesOpen, field, location, pressKey: press };
}

/** The page while an answer streams. */
async function openRunning() {
  const page = await open();
  page.agent.on('POST /chat?id=c1', createStream().response);
  page.agent.on('POST /chats/c1/stop', { ok: true });
  await page.type(page.field(), 'hello');
  await page.key(page.field(), 'Enter');
  const isStopped = () => page.agent.calls.some(({ call }) => call === 'POST /chats/c1/stop');
  return { ...page, isStopped };
}

describe('the address', () => {
  it('opens the chat that it names, and another when the person goes back', async () => {
    const { browser, conversation, fire, location } = await open('?id=c1');
    expect(conversation.state.get()).toMatchObject({ chatId: 'c1', phase: 'idle' });
    location.search = '';
    await fire(browser.window, 'popstate');
    expect(conversation.state.get()).toMatchObject({ chatId: undefined, items: [] });
  });
});

describe('keys', () => {
  it('go to the message field, but not from a text that is written', async () => {
    const { browser, field, get, pressKey } = await open();
    field().blur();
    const { defaultPrevented } = await pressKey('/');
    // Without this the slash would be written into the field.
    expect(defaultPrevented).toBe(true);
    expect(browser.document.activeElement).toBe(field());
    const search = get('searchbox', t('chats.search'));
    search.focus();
    expect((await pressKey('/')).defaultPrevented).toBe(false);
    expect(browser.document.activeElement).toBe(search);
  });

  // Fails when the choice isn't read: people who speak or type by accident turn these keys off.
  it('without Ctrl are off where the person said so, and the others stay on', async () => {
    const { areFilesOpen, browser, field, pressKey } = await open('', { kept: { 'berth.plainKeys': 'off' } });
    field().blur();
    await pressKey('/');
    expect(browser.document.activeElement).not.toBe(field());
    await pressKey('F', { ctrlKey: true, shiftKey: true });
    expect(areFilesOpen()).toBe(true);
  });

  it('open and close the files', async () => {
    const { areFilesOpen, pressKey } = await open();
    await pressKey('F', { ctrlKey: true, shiftKey: true });
    expect(areFilesOpen()).toBe(true);
    await pressKey('F', { ctrlKey: true, shiftKey: true });
    expect(areFilesOpen()).toBe(false);
  });

  it('open no files where nobody signs in', async () => {
    const { areFilesOpen, has, pressKey } = await open('', { config: { auth: false }, isStored: false });
    expect((await pressKey('F', { ctrlKey: true, shiftKey: true })).defaultPrevented).toBe(false);
    expect([areFilesOpen(), has('button', t('files.title')), has('navigation', t('page.menu'))]).toEqual([
      ...[false, false, false],
    ]);
  });

  it('begin a new chat and keep the draft of the old one', async () => {
    const { browser, conversation, field, gone, pressKey, run, type } = await open('?id=c1');
    await type(field(), 'draft');
    await pressKey('O', { ctrlKey: true, shiftKey: true });
    expect([gone, conversation.state.get().chatId, field().value]).toEqual([[undefined], undefined, '']);
    expect(browser.document.activeElement).toBe(field());
    await run(() => undefined);
  });
});

describe('Escape', () => {
  it('stops the answer', async () => {
    const { isStopped, pressKey } = await openRunning();
    await pressKey('Escape');
    expect(isStopped()).toBe(true);
  });

  // Fails when one press does both: the person who closes the files would lose the answer.
  it('closes the files where the focus is in them, and stops the answer elsewhere', async () => {
    const { areFilesOpen, field, isStopped, key, press, get } = await openRunning();
    await press(t('files.title'));
    await key(get('button', t('files.close')), 'Escape');
    expect([areFilesOpen(), isStopped()]).toEqual([false, false]);
    await press(t('files.title'));
    await key(field(), 'Escape');
    expect([areFilesOpen(), isStopped()]).toEqual([true, true]);
  });

  it('closes the files from everywhere while nothing runs', async () => {
    const { areFilesOpen, field, key, press } = await open();
    await press(t('files.title'));
    await key(field(), 'Escape');
    expect(areFilesOpen()).toBe(false);
  });

  it('is left to an input method', async () => {
    const { field, isStopped, key } = await openRunning();
    await key(field(), 'Escape', { isComposing: true });
    expect(isStopped()).toBe(false);
  });

  it('is left to something that has used it', async () => {
    const { field, isStopped, key } = await openRunning();
    field().addEventListener('keydown', (event) => event.preventDefault());
    await key(field(), 'Escape');
    expect(isStopped()).toBe(false);
  });

  it('clears a search before it does anything else', async () => {
    const { get, isStopped, key, type } = await openRunning();
    const search = get('searchbox', t('chats.search'));
    await type(search, 'soup');
    await key(search, 'Escape');
    expect(isStopped()).toBe(false);
    await type(search, '');
    await key(search, 'Escape');
    expect(isStopped()).toBe(true);
  });
});

describe('sharing', () => {
  it('is offered once there is something to share', async () => {
    const { conversation, has, run } = await open();
    expect(has('button', t('share.share'))).toBe(false);
    await run(() => conversation.open('c1'));
    expect(has('button', t('share.share'))).toBe(true);
  });
});
