import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStorage } from '../testing/create-storage.ts';
import { createTokens } from '../testing/create-tokens.ts';
import { openSession } from './session.ts';
import { createSharedTokens } from './shared-tokens.ts';

const ISSUER = 'https://id.example.com';
const CONFIG = { issuer: ISSUER, client_id: 'page', scope: 'openid offline_access' };
const NOW_MS = 1_000_000;

/** The page, as far as a session sees it. */
function openPage(search = '', pathname = '/') {
  const values = createStorage();
  const storage = { ...values, clear: vi.fn(values.clear) };
  const page = {
    location: { origin: 'https://agent.example.com', pathname, search, assign: vi.fn(), reload: vi.fn() },
    sessionStorage: storage,
    history: { replaceState: vi.fn() },
    open: vi.fn<() => unknown>(() => null),
    close: vi.fn(),
  };
  for (const [name, value] of Object.entries(page)) vi.stubGlobal(name, value);
  return page;
}

/** Answers of the provider by path; a test may replace them. */
let answers: Record<string, () => Response>;
const grants: Record<string, string>[] = [];

beforeEach(() => {
  grants.length = 0;
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
  answers = {
    '/.well-known/openid-configuration': () =>
      Response.json({
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        end_session_endpoint: `${ISSUER}/logout`,
      }),
    '/token': () => Response.json({ access_token: 'a2', refresh_token: 'r2', expires_in: 60 }),
  };
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (init?.body instanceof URLSearchParams) grants.push(Object.fromEntries(init.body));
    return answers[new URL(url).pathname]?.() ?? new Response(null, { status: 404 });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pendingOf = (page: ReturnType<typeof openPage>) =>
  JSON.parse(page.sessionStorage.getItem('berth-sign-in') ?? 'null') as Record<string, unknown> | null;

describe('a sign-in', () => {
  it('goes to the provider, and keeps where it came from', async () => {
    const page = openPage('?id=c1', '/chat');
    const { session } = await openSession(CONFIG, createTokens());
    await session.signIn();
    const target = new URL(String(page.location.assign.mock.calls[0]?.[0]));
    expect(target.origin + target.pathname).toBe(`${ISSUER}/authorize`);
    expect(pendingOf(page)).toMatchObject({
      returnTo: '/chat?id=c1',
      isWindow: false,
      state: target.searchParams.get('state'),
    });
  });

  it('is completed when the provider sends the person back, and the address is as before', async () => {
    const first = openPage('?id=c1');
    await (await openSession(CONFIG, createTokens())).session.signIn();
    const pending = first.sessionStorage.getItem('berth-sign-in') as string;
    const page = openPage(`?code=c&state=${(JSON.parse(pending) as { state: string }).state}`);
    page.sessionStorage.setItem('berth-sign-in', pending);
    const tokens = createTokens();
    expect(await openSession(CONFIG, tokens)).toMatchObject({ problem: undefined, isDone: false });
    expect(tokens.get()).toMatchObject({ access: 'a2', refresh: 'r2' });
    expect(page.history.replaceState).toHaveBeenCalledWith(null, '', '/?id=c1');
    expect(page.close).not.toHaveBeenCalled();
  });

  // Fails when the verifier stays in the storage: the answer could be brought a second time.
  it('can be completed once', async () => {
    const page = openPage('?code=c&state=s');
    page.sessionStorage.setItem('berth-sign-in', JSON.stringify({ state: 's', verifier: 'v', returnTo: '/' }));
    await openSession(CONFIG, createTokens());
    expect(page.sessionStorage.getItem('berth-sign-in')).toBeNull();
    const again = createTokens();
    expect((await openSession(CONFIG, again)).problem).toBeInstanceOf(Error);
    expect(again.get()).toBeUndefined();
  });

  it('that was refused is told, and leaves the page usable', async () => {
    const page = openPage('?error=access_denied&state=s');
    page.sessionStorage.setItem('berth-sign-in', JSON.stringify({ state: 's', verifier: 'v', returnTo: '/?id=c1' }));
    const { session, problem, isDone } = await openSession(CONFIG, createTokens());
    expect(problem).toMatchObject({ message: 'The sign-in was not completed. Try again.' });
    expect([session.isSignedIn, isDone]).toEqual([false, false]);
    expect(page.history.replaceState).toHaveBeenCalledWith(null, '', '/?id=c1');
  });

  // Fails when every `state` in the address is taken for an answer: a chat's address would be lost.
  it('is not seen in an address that has a state alone', async () => {
    const page = openPage('?state=x&id=c1');
    expect((await openSession(CONFIG, createTokens())).problem).toBeUndefined();
    expect(page.history.replaceState).not.toHaveBeenCalled();
  });
});

describe('a sign-in in a window', () => {
  it('opens the window at once, and leads it to the provider', async () => {
    const page = openPage('?id=c1');
    const popup = { location: { replace: vi.fn() }, close: vi.fn() };
    page.open.mockReturnValue(popup);
    const { session } = await openSession(CONFIG, createTokens());
    const signedIn = session.signInAgain();
    expect(page.open).toHaveBeenCalledOnce();
    await signedIn;
    expect(String(popup.location.replace.mock.calls[0]?.[0])).toContain(`${ISSUER}/authorize`);
    expect(page.location.assign).not.toHaveBeenCalled();
    // The window has its own copy; an answer to it must not be taken for one to this page.
    expect(pendingOf(page)).toBeNull();
  });

  it('is a sign-in of the page where the browser opens none', async () => {
    const page = openPage();
    const { session } = await openSession(CONFIG, createTokens());
    await session.signInAgain();
    expect(page.location.assign).toHaveBeenCalledOnce();
    expect(pendingOf(page)).toMatchObject({ isWindow: false });
  });

  it('is closed when the provider can’t be reached', async () => {
    const page = openPage();
    const popup = { location: { replace: vi.fn() }, close: vi.fn() };
    page.open.mockReturnValue(popup);
    answers['/.well-known/openid-configuration'] = () => new Response(null, { status: 502 });
    const { session } = await openSession(CONFIG, createTokens());
    await expect(session.signInAgain()).rejects.toThrow('502');
    expect(popup.close).toHaveBeenCalledOnce();
  });

  it('closes itself once it is done', async () => {
    const page = openPage('?code=c&state=s');
    const pending = { state: 's', verifier: 'v', returnTo: '/', isWindow: true };
    page.sessionStorage.setItem('berth-sign-in', JSON.stringify(pending));
    expect(await openSession(CONFIG, createTokens())).toMatchObject({ isDone: true });
    expect(page.close).toHaveBeenCalledOnce();
  });
});

describe('a token', () => {
  it('is asked of other tabs when this one has none', async () => {
    openPage();
    const [none, some] = [createTokens(), createTokens({ access: 'a1' })];
    await openSession(CONFIG, none);
    await openSession(CONFIG, some);
    expect([none.asked, some.asked]).toEqual([1, 0]);
  });

  it('is sent as it is while it is valid', async () => {
    openPage();
    const { session } = await openSession(CONFIG, createTokens({ access: 'a1', expiresAtMs: NOW_MS + 15_000 }));
    expect(await session.token()).toBe('a1');
    expect(grants).toEqual([]);
  });

  // Fails when a token is used until it expires: one that is on its way then is refused.
  it('is renewed 15 seconds before it expires', async () => {
    openPage();
    const tokens = createTokens({ access: 'a1', refresh: 'r1', expiresAtMs: NOW_MS + 14_999 });
    const { session } = await openSession(CONFIG, tokens);
    expect(await session.token()).toBe('a2');
    expect(grants).toMatchObject([{ grant_type: 'refresh_token', refresh_token: 'r1' }]);
  });

  it('that names no expiry is kept until it is refused', async () => {
    openPage();
    const { session } = await openSession(CONFIG, createTokens({ access: 'a1' }));
    expect(await session.token()).toBe('a1');
    expect(grants).toEqual([]);
  });

  it('is gone when the provider refuses to renew it', async () => {
    openPage();
    answers['/token'] = () => new Response(null, { status: 400 });
    const { session } = await openSession(CONFIG, createTokens({ access: 'a1', refresh: 'r1', expiresAtMs: 0 }));
    expect(await session.token()).toBeUndefined();
    expect(session.isSignedIn).toBe(false);
  });
});

describe('a sign-out', () => {
  it('drops what the tab keeps, and goes by the provider', async () => {
    const page = openPage();
    const tokens = createTokens({ access: 'a1', id: 'i1' });
    const { session } = await openSession(CONFIG, tokens);
    await session.signOut();
    expect(tokens.get()).toBeUndefined();
    expect(page.sessionStorage.clear).toHaveBeenCalledOnce();
    const target = new URL(String(page.location.assign.mock.calls[0]?.[0]));
    expect(target.pathname).toBe('/logout');
    expect(target.searchParams.get('id_token_hint')).toBe('i1');
  });

  // Fails when the tab forgets which sign-in it ends before it has said so to the others.
  it('ends a sign-in that a renewal in another tab is just sending tokens of', async () => {
    const page = openPage();
    const channel = new EventTarget();
    const tokens = createSharedTokens({
      storage: page.sessionStorage,
      common: createStorage(),
      channel: Object.assign(channel, { postMessage: () => {} }),
    });
    tokens.set({ access: 'a1' });
    const { signIn } = tokens.get() ?? {};
    await (await openSession(CONFIG, tokens)).session.signOut();
    const data = { type: 'tokens', tokens: { access: 'a2', stamp: 's2', signIn } };
    channel.dispatchEvent(Object.assign(new Event('message'), { data }));
    expect(tokens.get()).toBeUndefined();
  });

  // Fails when a provider that is away keeps the person signed in on this page.
  it('ends the session of the page where the provider can’t be asked', async () => {
    const page = openPage();
    answers['/.well-known/openid-configuration'] = () => new Response(null, { status: 502 });
    const tokens = createTokens({ access: 'a1' });
    const { session } = await openSession(CONFIG, tokens);
    await session.signOut();
    expect(tokens.get()).toBeUndefined();
    expect(page.location.reload).toHaveBeenCalledOnce();
  });
});
