import type { AgentConfig } from '@berth/contract/agent';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSharedTokens, type SharedTokens } from '../session/shared-tokens.ts';
import { createFixedSession } from '../session/token-session.ts';
import { createStorage } from '../testing/create-storage.ts';
import { createTokens } from '../testing/create-tokens.ts';
import { chatOf } from '../testing/fake-agent.ts';
import { createPage } from './create-page.ts';

type Listener = (event: { readonly data?: unknown }) => void;

/** The browser, as far as the page's state sees it. */
let browser: ReturnType<typeof openBrowser>;
const requests: string[] = [];
/** Responses by `METHOD path`; others are 404. */
let answers: Record<string, () => Response>;

function openBrowser() {
  const listeners = new Set<{ readonly type: string; readonly listener: Listener }>();
  const listen = (type: string, listener: Listener, { signal }: { readonly signal?: AbortSignal } = {}) => {
    const added = { type, listener };
    listeners.add(added);
    signal?.addEventListener('abort', () => listeners.delete(added));
  };
  const happen = (happened: string, data?: unknown) => {
    for (const { type, listener } of [...listeners]) if (type === happened) listener({ data });
  };
  const location = { pathname: '/', search: '', replace: vi.fn() };
  const show = (_state: unknown, _title: string, address: string) => {
    location.search = new URL(address, 'http://localhost').search;
  };
  const told: unknown[] = [];
  const channels: string[] = [];
  class Channel {
    constructor(name: string) {
      channels.push(name);
    }
    postMessage = (message: unknown) => void told.push(message);
    addEventListener = listen;
  }
  const globals = {
    ...{ location, BroadcastChannel: Channel, addEventListener: listen },
    history: { pushState: vi.fn(show), replaceState: vi.fn(show) },
    sessionStorage: { ...createStorage(), clear: vi.fn() },
    document: { visibilityState: 'visible', addEventListener: listen },
  };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  return { ...globals, told, channels, happen };
}

function open(teamId?: string, auth = true, tokens: SharedTokens = createTokens()) {
  const config = { auth, max_upload: 1, title: 'Agent' } as AgentConfig;
  return createPage({ config, session: createFixedSession('t'), tokens, teamId });
}

beforeEach(() => {
  requests.length = 0;
  browser = openBrowser();
  answers = {
    'GET /chats?limit=100': () => Response.json([]),
    'GET /chats/c1': () => Response.json(chatOf([{ role: 'user', content: 'a' }])),
  };
  vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
    const call = `${init.method ?? 'GET'} ${path}`;
    requests.push(call);
    return answers[call.replace(/id=.*/, 'id=new')]?.() ?? Response.json({ detail: 'no' }, { status: 404 });
  });
});
afterEach(() => void vi.unstubAllGlobals());

describe('going to a chat', () => {
  it('opens it, and names it in the address', async () => {
    const { chats, openChat } = open('t-1');
    await chats.go('c1');
    expect(browser.history.pushState).toHaveBeenCalledExactlyOnceWith(null, '', '/?id=c1&ws=t-1');
    expect(openChat.conversation.state.get()).toMatchObject({ chatId: 'c1', items: [{ content: 'a' }] });
  });

  // Fails when the address is pushed again: Back would seem to do nothing.
  it('that is open already leaves the address alone', async () => {
    const { chats } = open();
    await chats.go('c1');
    await chats.go('c1');
    expect(browser.history.pushState).toHaveBeenCalledOnce();
  });

  it('names no chat that only this tab has', async () => {
    const { chats } = open(undefined, false);
    await chats.go(undefined);
    expect(browser.history.pushState).not.toHaveBeenCalled();
  });
});

describe('other tabs', () => {
  it('of the same workspace share a channel', () => {
    open('t-1');
    open();
    expect(browser.channels).toEqual(['berth-chat:t-1', 'berth-chat:']);
  });

  it('hear that the list has changed', async () => {
    const { chats } = open();
    answers['PUT /chats/c1'] = () => Response.json({ ok: true });
    await chats.list.rename('c1', 'Soup');
    expect(browser.told).toEqual([{ type: 'list' }]);
  });

  it('make this one read the list, and the chat if it is open here', async () => {
    const { chats, openChat } = open();
    await chats.go('c1');
    requests.length = 0;
    browser.happen('message', { type: 'chat', chatId: 'c2' });
    await vi.waitFor(() => expect(chats.list.state.get().phase).toBe('idle'));
    expect(requests).toEqual(['GET /chats?limit=100']);
    requests.length = 0;
    answers['GET /chats/c1?since=1'] = () => Response.json(chatOf([{ role: 'user', content: 'b' }]));
    browser.happen('message', { type: 'chat', chatId: 'c1' });
    await vi.waitFor(() => expect(openChat.conversation.state.get().items).toHaveLength(2));
    expect(requests).toEqual(['GET /chats?limit=100', 'GET /chats/c1?since=1']);
  });
});

describe('what other devices changed', () => {
  it.each(['visibilitychange', 'online'])('is read on %s', async (type) => {
    open();
    browser.happen(type);
    await vi.waitFor(() => expect(requests).toEqual(['GET /chats?limit=100']));
  });

  it('is not read while nobody sees the page, or where the agent stores nothing', async () => {
    open(undefined, false);
    browser.happen('online');
    open();
    browser.document.visibilityState = 'hidden';
    browser.happen('visibilitychange');
    expect(requests).toEqual([]);
  });
});

describe('a workspace file that is attached', () => {
  it('has the type that the server says', async () => {
    answers['HEAD /files/a.txt'] = () => new Response(null, { headers: { 'Content-Type': 'text/plain' } });
    const { openChat } = open();
    openChat.uploads.attach({ name: 'a.txt', path: 'a.txt', size: 1 });
    await openChat.uploads.settled();
    expect(openChat.uploads.take()).toMatchObject([{ type: 'text/plain' }]);
  });

  it('is bytes where the server says nothing', async () => {
    answers['HEAD /files/a.txt'] = () => new Response(null);
    const { openChat } = open();
    openChat.uploads.attach({ name: 'a.txt', path: 'a.txt', size: 1 });
    await openChat.uploads.settled();
    expect(openChat.uploads.take()).toMatchObject([{ type: 'application/octet-stream' }]);
  });

  // Fails when two workspaces share their attachments: a file of one would be sent to the other.
  it('stays in its workspace', async () => {
    answers['HEAD /files/a.txt'] = () => new Response(null);
    const { openChat } = open('t-1');
    openChat.uploads.attach({ name: 'a.txt', path: 'a.txt', size: 1 });
    await vi.waitFor(() => expect(openChat.uploads.state.get()[0]?.attachment).toBeDefined());
    expect(open().openChat.uploads.state.get()).toEqual([]);
    expect(open('t-1').openChat.uploads.state.get()).toHaveLength(1);
  });
});

describe('a message without a connection', () => {
  afterEach(() => void vi.useRealTimers());

  /** A page that has sent a message while it was offline. */
  async function sendOffline() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const page = open();
    const { conversation } = page.openChat;
    answers['POST /chat?id=new'] = () => {
      throw new TypeError('offline');
    };
    const sent = conversation.send('hello');
    await vi.waitFor(() => expect(conversation.state.get().items).toMatchObject([{ isWaiting: true }]));
    const posts = () => requests.filter((call) => call.startsWith('POST'));
    return { ...page, conversation, posts, sent };
  }

  // Fails when only the timer is waited for: the waits grow to four seconds.
  it('goes at once when the network returns', async () => {
    const { conversation, posts, sent } = await sendOffline();
    answers['POST /chat?id=new'] = () => new Response('data: [DONE]\n\n');
    browser.happen('online');
    await sent;
    expect(posts()).toHaveLength(2);
    expect(conversation.state.get()).toMatchObject({ phase: 'idle', items: [{ content: 'hello' }, {}] });
    expect(browser.location.search).toBe(`?id=${conversation.state.get().chatId}`);
    expect(browser.told).toContainEqual({ type: 'chat', chatId: conversation.state.get().chatId });
  });

  it('is tried again after a while, and no more once it is taken back', async () => {
    const { conversation, posts, sent } = await sendOffline();
    await vi.advanceTimersByTimeAsync(250);
    await vi.waitFor(() => expect(posts()).toHaveLength(2));
    await conversation.stop();
    await sent;
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    browser.happen('online');
    expect(posts()).toHaveLength(2);
    expect(conversation.state.get()).toMatchObject({ phase: 'idle', items: [{ problem: 'unsent' }] });
  });
});

describe('another person', () => {
  const tokenOf = (sub: string) => ({ access: `x.${btoa(JSON.stringify({ sub }))}.y`, expiresAtMs: 1 });

  // Fails when the storage stays: the next person would read the drafts and the unsent message of the one before.
  it('gets a new page with nothing of the one before but their own tokens', () => {
    const storage = createStorage();
    const channel = { addEventListener: () => {}, postMessage: () => {} };
    const tokens = createSharedTokens({ storage: sessionStorage, common: storage, channel });
    tokens.set(tokenOf('a'));
    const { openChat } = open(undefined, true, tokens);
    openChat.drafts.write('a secret', 'c1');
    browser.sessionStorage.clear.mockImplementation(() => {
      for (const key of ['berth-draft:c1', 'berth-tokens']) sessionStorage.removeItem(key);
    });
    tokens.set(tokenOf('b'));
    expect(browser.sessionStorage.clear).toHaveBeenCalledOnce();
    expect(openChat.drafts.read('c1')).toBeUndefined();
    expect(tokens.get()).toMatchObject(tokenOf('b'));
    expect(browser.location.replace).toHaveBeenCalledExactlyOnceWith('/');
  });

  it('is not the same one with newer tokens', () => {
    const channel = { addEventListener: () => {}, postMessage: () => {} };
    const tokens = createSharedTokens({ storage: sessionStorage, common: createStorage(), channel });
    tokens.set(tokenOf('a'));
    open(undefined, true, tokens);
    tokens.set({ ...tokenOf('a'), expiresAtMs: 2 });
    expect(browser.location.replace).not.toHaveBeenCalled();
  });
});
