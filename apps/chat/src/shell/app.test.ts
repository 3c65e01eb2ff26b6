// @vitest-environment happy-dom
import type { AgentConfig } from '@berth/contract/agent';
import { ToastProvider } from '@berth/ui';
import { createElement } from 'react';
import { jsx } from 'react/jsx-runtime';
import { describe, expect, it, vi } from 'vitest';
import type { Session } from '../session/session.ts';
import { createTokens } from '../testing/create-tokens.ts';
import { openBrowser, openScreen, t } from '../testing/open-screen.ts';
import { App, type SessionState } from './app.tsx';

const CONFIG = {
  ...{
    auth: true,
    sign_in: null,
    workspaces: null,
    title: 'Cook',
    favicon: '/icon.svg',
    suggestions: [],
    max_upload: 1,
  },
  ...{ voice: false, connectors: false, memory: false, explore_enabled: false, examples_enabled: false },
} as unknown as AgentConfig;

class FakeChannel {
  addEventListener() {}
  postMessage() {}
}

/** A session that the test signs in and out. */
function createSession(isSignedIn: boolean) {
  const listeners = new Set<() => void>();
  const session = {
    isSignedIn,
    canSignIn: true,
    token: async () => 't',
    renew: async () => false,
    signIn: vi.fn(async () => {}),
    signInAgain: vi.fn(async () => {}),
    signOut: async () => {},
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  } satisfies Session;
  const become = (next: boolean) => {
    session.isSignedIn = next;
    for (const listener of [...listeners]) listener();
  };
  return { session, become };
}

interface Options {
  readonly pathname?: string;
  /** Error of the sign-in that the person returns from. */
  readonly problem?: unknown;
  readonly fetch?: (path: string) => Promise<Response>;
}

async function open(isSignedIn: boolean, options: Options = {}) {
  const {
    pathname = '/',
    problem,
    fetch = async (path: string) => Response.json(path === '/me' ? { user_id: 'ann' } : []),
  } = options;
  const { session, become } = createSession(isSignedIn);
  const location = { origin: 'https://agent.example.com', pathname, search: '', assign: vi.fn() };
  const history = { pushState: vi.fn(), replaceState: vi.fn() };
  const browser = openBrowser({ location, history, fetch, BroadcastChannel: FakeChannel });
  const state: SessionState = { session, tokens: createTokens({ access: 't' }), takeToken: undefined, problem };
  const app = jsx(ToastProvider, { children: createElement(App, { config: CONFIG, state }) });
  const screen = await openScreen(app, browser);
  return { ...screen, become, browser, session };
}

describe('the app', () => {
  it('asks for a sign-in first, and shows the page after it', async () => {
    const { become, browser, has, press, run, session } = await open(false);
    expect(has('textbox', t('compose.message'))).toBe(false);
    await press(t('sign.in'));
    expect(session.signIn).toHaveBeenCalledOnce();
    await run(() => become(true));
    expect(has('textbox', t('compose.message'))).toBe(true);
    expect(browser.document.title).toBe('Cook');
  });

  // Fails when the page goes with the session: what is written, attached and streamed would be lost.
  it('keeps the page and what is written while the session has ended', async () => {
    const { become, get, run, type } = await open(true);
    const field = get('textbox', t('compose.message'));
    await type(field, 'hello');
    await run(() => become(false));
    expect(get('textbox', t('compose.message'))).toBe(field);
    expect(field.value).toBe('hello');
  });

  it('says what was wrong with a sign-in', async () => {
    expect((await open(false, { problem: new Error('The sign-in was not completed.') })).get('alert').textContent).toBe(
      'The sign-in was not completed.',
    );
  });

  it('shows a share without a sign-in, and reads it again after one', async () => {
    const fetched = vi.fn(async (_path: string) => Response.json({ detail: 'Sign in.' }, { status: 401 }));
    const { become, get, has, press, run, session } = await open(false, { pathname: '/shared/u/t1', fetch: fetched });
    expect(get('heading').textContent).toBe(t('share.needsSignIn'));
    await press(t('sign.in'));
    expect(session.signIn).toHaveBeenCalledOnce();
    const share = { type: 'file', title: 'menu', shared_at: '2026-01-01T00:00:00Z', url: '/share/u/t1/file/menu' };
    fetched.mockImplementation(async () => Response.json(share));
    await run(() => become(true));
    expect(has('link', t('share.download', { name: 'menu' }))).toBe(true);
    expect(fetched.mock.calls.map(([path]) => path)).toEqual(['/share/u/t1/data', '/share/u/t1/data']);
  });

  it('says that the window of a sign-in can be closed', async () => {
    const { text } = await openScreen(createElement(App, { config: CONFIG, state: 'done' }));
    expect(text()).toContain(t('sign.doneText'));
  });
});
