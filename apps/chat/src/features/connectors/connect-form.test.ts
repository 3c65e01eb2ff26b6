import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { awaitSignIn } from './connect-form.tsx';

const DONE = { type: 'berth:connector', connector: 'mail', connected: true };

type Listener = (event: { readonly data: unknown; readonly origin?: string }) => void;

/** Listeners of the window and of the channel; a signal removes its own. */
let listeners: { readonly window: Set<Listener>; readonly channel: Set<Listener> };
let isClosed = false;

beforeEach(() => {
  listeners = { window: new Set(), channel: new Set() };
  isClosed = false;
  const listenTo = (where: Set<Listener>) => (_type: string, listener: Listener, options: { signal: AbortSignal }) => {
    where.add(listener);
    options.signal.addEventListener('abort', () => where.delete(listener));
  };
  vi.stubGlobal('addEventListener', listenTo(listeners.window));
  vi.stubGlobal('location', { origin: 'https://agent.example.com' });
  class Channel {
    addEventListener = listenTo(listeners.channel);
    close() {
      isClosed = true;
    }
  }
  vi.stubGlobal('BroadcastChannel', Channel);
});
afterEach(() => void vi.unstubAllGlobals());

function wait() {
  const leave = new AbortController();
  const onDone = vi.fn();
  void awaitSignIn('mail', leave.signal).then(onDone);
  return { leave, onDone };
}
const tell = (where: 'window' | 'channel', data: unknown, origin = 'https://agent.example.com') => {
  for (const listener of [...listeners[where]]) listener({ data, origin });
};
/** Runs what has been resolved. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a sign-in in another window', () => {
  it.each(['window', 'channel'] as const)('is done when the callback page says so by the %s', async (where) => {
    const { onDone } = wait();
    tell(where, DONE);
    await settle();
    expect(onDone).toHaveBeenCalledOnce();
  });

  // Fails when the origin is not compared: any page that opened this one could say it.
  it('is not done because another site says so', async () => {
    const { onDone } = wait();
    tell('window', DONE, 'https://evil.example.com');
    await settle();
    expect(onDone).not.toHaveBeenCalled();
  });

  it.each([
    ['for another connector', { ...DONE, connector: 'files' }],
    ['without a connection', { ...DONE, connected: false }],
    ['of another type', { ...DONE, type: 'other' }],
    ['without content', undefined],
  ])('is not done by a message %s', async (_, data) => {
    const { onDone } = wait();
    tell('channel', data);
    await settle();
    expect(onDone).not.toHaveBeenCalled();
  });

  it('is not waited for once the signal aborts', async () => {
    const { leave, onDone } = wait();
    leave.abort();
    tell('channel', DONE);
    tell('window', DONE);
    await settle();
    expect([onDone.mock.calls.length, isClosed]).toEqual([0, true]);
  });
});
