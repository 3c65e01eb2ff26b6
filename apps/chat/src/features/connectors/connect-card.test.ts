// @vitest-environment happy-dom
import type { UiFrame } from '@berth/contract/agent';
import { createElement } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { openBrowser, t } from '../../testing/open-screen.ts';
import { ConnectCard } from './connect-card.tsx';

const AUTHORIZE = 'POST /connectors/mail/authorize';
const URL = 'https://provider.example.com/authorize';
const DONE = { type: 'berth:connector', connector: 'mail', connected: true };

/** Tells the page what the callback page reports. */
let report: (data: unknown) => void;

beforeEach(() => {
  const listeners = new Set<(event: { readonly data: unknown }) => void>();
  report = (data) => {
    for (const listener of [...listeners]) listener({ data });
  };
  class Channel {
    addEventListener(_type: string, listener: never, { signal }: { readonly signal: AbortSignal }) {
      listeners.add(listener);
      signal.addEventListener('abort', () => listeners.delete(listener));
    }
    close() {}
  }
  vi.stubGlobal('BroadcastChannel', Channel);
});

/** The card of the connector `mail`. */
async function open(row: object | undefined, frame: object = {}) {
  const popup = { location: { replace: vi.fn() }, close: vi.fn() };
  const openWindow = vi.fn<() => typeof popup | null>(() => popup);
  const onConnected = vi.fn(async () => true);
  const onContinue = vi.fn();
  const card = createElement(ConnectCard, {
    frame: { type: 'ui', action: 'connect', connector: 'mail', title: 'Mail', ...frame } as UiFrame,
    onConnected,
    onContinue,
  });
  const screen = await openChatScreen(createElement('div'), { browser: openBrowser({ open: openWindow }) });
  screen.agent.on('GET /connectors', row === undefined ? [] : [{ name: 'mail', title: 'Mail', ...row }]);
  const { showInside } = screen;
  await showInside(card);
  return { ...screen, onConnected, onContinue, openWindow, popup };
}

describe('a connector that people sign in to', () => {
  it('opens a window during the click, sends it to the provider, and reports the connection once', async () => {
    const { agent, get, onConnected, openWindow, popup, press, run } = await open({ auth: 'oauth' });
    const answer = Promise.withResolvers<unknown>();
    agent.on(AUTHORIZE, answer.promise);
    await press(t('connect.card', { title: 'Mail' }));
    expect(openWindow).toHaveBeenCalledOnce();
    expect(popup.location.replace).not.toHaveBeenCalled();
    await run(() => answer.resolve({ url: URL }));
    expect(popup.location.replace).toHaveBeenCalledExactlyOnceWith(URL);
    await run(() => report(DONE));
    expect(onConnected).toHaveBeenCalledOnce();
    expect(get('status').textContent).toBe(t('connect.connected'));
  });

  it('uses the scope that the card names', async () => {
    const { agent, press } = await open({ auth: 'oauth' }, { scope: 'workspace' });
    agent.on(`${AUTHORIZE}?scope=workspace`, { url: URL });
    await press(t('connect.card', { title: 'Mail' }));
    expect(agent.calls.at(-1)?.call).toBe(`${AUTHORIZE}?scope=workspace`);
  });

  it('shows a link when the browser blocks the window', async () => {
    const { agent, get, openWindow, press } = await open({ auth: 'oauth' });
    openWindow.mockReturnValue(null);
    agent.on(AUTHORIZE, { url: URL });
    await press(t('connect.card', { title: 'Mail' }));
    expect(get('link', t('connect.signIn', { title: 'Mail' })).getAttribute('href')).toBe(URL);
  });

  // Fails when the window stays open: an empty one would be left in front of the page.
  it('closes the window and shows the error when the agent refuses, and allows a retry', async () => {
    const { agent, get, onConnected, popup, press, run } = await open({ auth: 'oauth' });
    agent.on(AUTHORIZE, new ApiError(502, 'Mail does not answer.'), { url: URL });
    await press(t('connect.card', { title: 'Mail' }));
    expect(popup.close).toHaveBeenCalledOnce();
    expect(get('alert').textContent).toContain('Mail does not answer.');
    await press(t('connect.card', { title: 'Mail' }));
    await run(() => report(DONE));
    expect(onConnected).toHaveBeenCalledOnce();
  });

  // Fails when each try waits on its own: the chat would be told to go on twice.
  it('reports the connection once after several tries', async () => {
    const { agent, onConnected, press, run } = await open({ auth: 'oauth' });
    agent.on(AUTHORIZE, { url: URL }, { url: URL });
    await press(t('connect.card', { title: 'Mail' }));
    await press(t('connect.card', { title: 'Mail' }));
    await run(() => report(DONE));
    await run(() => report(DONE));
    expect(onConnected).toHaveBeenCalledOnce();
  });

  it('reports nothing after the card is gone', async () => {
    const { agent, leave, onConnected, press, run } = await open({ auth: 'oauth' });
    agent.on(AUTHORIZE, { url: URL });
    await press(t('connect.card', { title: 'Mail' }));
    await leave();
    await run(() => report(DONE));
    expect(onConnected).not.toHaveBeenCalled();
  });

  // Fails when the wait begins after the card is gone: "Go on." would be sent in the chat that is open by then.
  it('does not wait for the sign-in when the card is gone before the agent answers', async () => {
    const { agent, leave, onConnected, press, run } = await open({ auth: 'oauth' });
    const answer = Promise.withResolvers<unknown>();
    agent.on(AUTHORIZE, answer.promise);
    await press(t('connect.card', { title: 'Mail' }));
    await leave();
    await run(() => answer.resolve({ url: URL }));
    await run(() => report(DONE));
    expect(onConnected).not.toHaveBeenCalled();
  });
});

describe('a connector with a key', () => {
  async function openKey() {
    const screen = await open({ auth: 'key' });
    const [key, address] = screen.all('textbox');
    if (!key || !address) throw new Error('no fields');
    return { ...screen, key, address, connect: () => screen.fire(screen.get('form'), 'submit') };
  }

  it('sends the key, and the address only when one is given', async () => {
    const { address, agent, connect, get, key, onConnected, type } = await openKey();
    agent.on('PUT /connectors/mail/key', new ApiError(422, 'Mail knows no such key.'), { ok: true });
    await type(key, 'secret');
    await connect();
    expect([get('alert').textContent, onConnected.mock.calls.length]).toEqual(['Mail knows no such key.', 0]);
    await type(address, 'https://mail.example.com');
    await connect();
    expect(agent.calls.slice(1).map(({ body }) => body)).toEqual([
      { key: 'secret' },
      { key: 'secret', endpoint: 'https://mail.example.com' },
    ]);
    expect(onConnected).toHaveBeenCalledOnce();
  });

  it('hides the key, keeps it from the browser, and forgets it once it is sent', async () => {
    const { agent, connect, has, key, text, type } = await openKey();
    expect([key.type, key.getAttribute('autocomplete')]).toEqual(['password', 'off']);
    agent.on('PUT /connectors/mail/key', { ok: true });
    await type(key, 'secret');
    await connect();
    expect([has('textbox'), text().includes('secret')]).toEqual([false, false]);
  });
});

describe('a card', () => {
  // Fails when the card sends words that the person has not chosen to send.
  it('offers Continue only when the answer does not continue on its own, and Try again after an error', async () => {
    const { agent, has, onConnected, onContinue, press, run } = await open({ auth: 'oauth' });
    agent.on(AUTHORIZE, { url: URL });
    onConnected.mockRejectedValueOnce(new ApiError(503, 'Try again later.')).mockResolvedValueOnce(false);
    await press(t('connect.card', { title: 'Mail' }));
    await run(() => report(DONE));
    expect(has('button', t('message.continue'))).toBe(false);
    await press('Try again');
    expect([has('alert'), onContinue.mock.calls.length]).toEqual([false, 0]);
    await press(t('message.continue'));
    expect(onContinue).toHaveBeenCalledOnce();
  });

  it('says that its connector no longer exists', async () => {
    expect((await open(undefined)).text()).toContain(t('connect.gone'));
  });

  it('shows why the connectors could not be read, and reads them again on Retry', async () => {
    const screen = await openChatScreen(createElement('div'));
    screen.agent.on('GET /connectors', new ApiError(503, 'Try again later.'), [
      { name: 'mail', title: 'Mail', auth: 'oauth' },
    ]);
    const frame = { type: 'ui', action: 'connect', connector: 'mail', title: 'M\u202eail' } as const;
    await screen.showInside(createElement(ConnectCard, { frame, onConnected: async () => true, onContinue() {} }));
    expect(screen.text()).toContain('Try again later.');
    // The agent's words can't turn the text around them.
    expect(screen.text()).toContain('M\\u{202e}ail');
    await screen.press('Try again');
    expect(screen.has('button', t('connect.card', { title: 'Mail' }))).toBe(true);
  });
});
