// @vitest-environment happy-dom
import type { AgentConfig } from '@berth/contract/agent';
import { createElement } from 'react';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { createFixedSession } from '../../session/token-session.ts';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { openBrowser, t } from '../../testing/open-screen.ts';
import { SharePage } from './share-page.tsx';

// Answers are rendered by a component that is loaded on demand.
beforeAll(async () => void (await import('../message-parts/part-view.tsx')));

const SHARE = '/share/u%3A1/t1';
const CHAT = {
  ...{ type: 'chat', title: 'Soup', shared_at: '2026-01-01T00:00:00.000Z' },
  messages: [
    { role: 'user', content: 'How?' },
    { role: 'assistant', content: 'Boil it.' },
  ],
};

interface Options {
  readonly isSignedIn?: boolean;
  readonly search?: string;
  readonly auth?: boolean;
}

/** The page of a share, of which the agent says `data`. */
async function open(data: unknown, { isSignedIn = true, search = '', auth = true }: Options = {}) {
  const location = { origin: 'https://agent.example.com', pathname: '/shared/u%3A1/t1', search, assign: vi.fn() };
  const browser = openBrowser({ location });
  const screen = await openChatScreen(createElement('div'), { browser });
  screen.agent.on(`GET ${SHARE}/data${search}`, data);
  const onSignIn = vi.fn();
  const session = { ...createFixedSession('t'), isSignedIn };
  const config = { title: 'Cook', auth } as AgentConfig;
  await screen.showInside(createElement(SharePage, { api: screen.agent, session, config, onSignIn }));
  const forks = () => screen.agent.calls.filter(({ call }) => call.startsWith('POST')).map(({ call }) => call);
  return { ...screen, forks, location, onSignIn };
}

describe('a shared chat', () => {
  it('is shown without Edit and Answer again', async () => {
    const { browser, has, text } = await open(CHAT);
    for (const said of ['Soup', 'How?', 'Boil it.']) expect(text()).toContain(said);
    expect([has('button', t('message.edit')), has('button', t('message.again'))]).toEqual([false, false]);
    expect(browser.document.title).toBe('Soup · Cook');
  });

  // Fails when the card of a file is drawn only where the agent's own chat is open.
  it('shows a page that the agent wrote as a file', async () => {
    const args = JSON.stringify({ path: 'tides.html', content: '<!doctype html><title>Tide table</title>' });
    const step = { type: 'step', step: 'Write a file', tool_name: 'write_file', ok: true, args };
    const messages = [CHAT.messages[0], { role: 'assistant', content: '', parts: [step] }];
    const { text } = await open({ ...CHAT, messages });
    expect(text()).toContain('Tide table');
    expect(text()).toContain(t('artifact.open'));
  });

  it('is continued as a copy', async () => {
    const { agent, forks, location, press } = await open(CHAT);
    agent.on(`POST ${SHARE}/fork`, { id: 'c 9' });
    await press(t('share.fork'));
    expect(forks()).toEqual([`POST ${SHARE}/fork`]);
    expect(location.assign).toHaveBeenCalledExactlyOnceWith('/?id=c+9');
  });

  // Fails when the button stays active: an impatient second press makes a second copy.
  it('is copied once, however often the button is pressed', async () => {
    const { agent, forks, location, press, run } = await open(CHAT);
    const answer = Promise.withResolvers<unknown>();
    agent.on(`POST ${SHARE}/fork`, answer.promise, { id: 'c2' });
    await press(t('share.fork'));
    await press(t('share.fork'));
    await run(() => answer.resolve({ id: 'c1' }));
    await press(t('share.fork'));
    expect(forks()).toHaveLength(1);
    expect(location.assign).toHaveBeenCalledExactlyOnceWith('/?id=c1');
  });

  it('shows why the copy failed, and allows a retry', async () => {
    const { agent, forks, get, location, press } = await open(CHAT);
    agent.on(`POST ${SHARE}/fork`, new ApiError(507, 'The disk is full.'), { id: 'c1' });
    await press(t('share.fork'));
    expect(get('alert').textContent).toBe('The disk is full.');
    await press(t('share.fork'));
    expect([forks().length, location.assign.mock.calls]).toEqual([2, [['/?id=c1']]]);
  });

  it('asks for a sign-in before it is copied', async () => {
    const { forks, onSignIn, press } = await open(CHAT, { isSignedIn: false });
    await press(t('share.fork'));
    expect([forks(), onSignIn.mock.calls.length]).toEqual([[], 1]);
  });

  // Fails when the workspace of the address is dropped: the share of a team would not be found, or copied.
  it('of a team is read and copied in its workspace', async () => {
    const { agent, forks, press, text } = await open(CHAT, { search: '?ws=t-1' });
    expect(text()).toContain('Boil it.');
    agent.on(`POST ${SHARE}/fork?ws=t-1`, { id: 'c1' });
    await press(t('share.fork'));
    expect(forks()).toEqual([`POST ${SHARE}/fork?ws=t-1`]);
  });
});

it('offers a shared file, and no copy of it', async () => {
  const file = { type: 'file', title: 'menu.pdf', shared_at: CHAT.shared_at, url: '/share/u/t/file/menu.pdf' };
  const { get, has } = await open(file);
  expect(get('link', t('share.download', { name: 'menu.pdf' })).getAttribute('href')).toBe('/share/u/t/file/menu.pdf');
  expect(has('button', t('share.fork'))).toBe(false);
});

describe('a link that shows nothing', () => {
  it.each([404, 410, 500])('says so (%i)', async (status) => {
    const { get, has } = await open(new ApiError(status, 'x'));
    expect(get('heading').textContent).toBe(t('share.none'));
    expect(has('button', t('sign.in'))).toBe(false);
  });

  it('asks for a sign-in where the share needs one', async () => {
    const { get, onSignIn, press } = await open(new ApiError(401, 'x'), { isSignedIn: false });
    expect(get('heading').textContent).toBe(t('share.needsSignIn'));
    await press(t('sign.in'));
    expect(onSignIn).toHaveBeenCalledOnce();
  });

  it('asks for none where nobody can sign in', async () => {
    expect((await open(new ApiError(401, 'x'), { auth: false })).get('heading').textContent).toBe(t('share.none'));
  });

  // Fails when the error of a broken address escapes: the page would stay blank.
  it('says so where its address is broken', async () => {
    const browser = openBrowser({ location: { origin: 'https://x', pathname: '/shared/%ff/t', search: '' } });
    const screen = await openChatScreen(createElement('div'), { browser });
    const props = {
      api: screen.agent,
      session: createFixedSession(),
      config: { auth: true } as AgentConfig,
      onSignIn() {},
    };
    await screen.showInside(createElement(SharePage, props));
    expect(screen.get('heading').textContent).toBe(t('share.none'));
    expect(screen.agent.calls).toEqual([]);
  });
});
