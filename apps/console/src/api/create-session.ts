import type { SignedIn } from '@berth/contract';
import { BerthError } from '@berth/kit';
import type { Platform } from './create-platform.ts';

/**
 * Whether somebody is signed in. `expired`: somebody was, and the page stays as it is, with all that was typed, until they
 * sign in again. `unreachable`: the platform did not answer the first question.
 */
export type SessionState = 'unknown' | 'signed-out' | 'signed-in' | 'expired' | 'unreachable';

/**
 * Who is signed in, in the form that React's external stores have. Invariants:
 * 1. The credential itself is a cookie that no script can read; all tabs of a browser have the same one.
 * 2. What was asked for by one person is never asked again as another.
 */
export interface SessionStore {
  readonly state: SessionState;
  /** Id of the person; undefined when nobody is signed in. */
  readonly personId: string | undefined;
  subscribe(listener: () => void): () => void;
  /** Asks the server, which also gives the session its whole life back. */
  check(): Promise<void>;
  signIn(email: string, password: string): Promise<void>;
  /** Makes the platform's first person with the secret of the link that the server printed. */
  beginFirstRun(person: { token: string; email: string; password: string; name?: string }): Promise<void>;
  /** For a sign-in that was made in another way: what the server answered. */
  noteSignedIn(answer: Pick<SignedIn, 'user'>): void;
  signOut(): Promise<void>;
  /** Has the browser's other tabs look who is signed in now. */
  tellTabs(): void;
  /**
   * For a call that was refused with 401: waits until its person has signed in again.
   * @returns false when nobody was signed in, or they sign out, or somebody else signs in
   * @throws the signal's reason
   */
  renew(signal: AbortSignal | undefined): Promise<boolean>;
}

/** How the tabs of a browser tell each other. */
export type TabChannel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener'>;

export interface CreateSessionOptions {
  /** Made after the session, as it asks for it. */
  platform(): Platform;
  readonly channel: TabChannel;
  /** Called before anything is asked for as this person. */
  onEnter?(personId: string): void;
}

export function createSession({ platform, channel, onEnter }: CreateSessionOptions): SessionStore {
  let state: SessionState = 'unknown';
  let personId: string | undefined;
  let asking: Promise<void> | undefined;
  const listeners = new Set<() => void>();
  const become = (next: SessionState) => {
    if (next === state) return;
    state = next;
    for (const listener of [...listeners]) listener();
  };
  const leave = () => {
    personId = undefined;
    become('signed-out');
  };
  const enter = (id: string) => {
    // Whoever waits for the one before is told that they are gone.
    if (personId !== undefined && personId !== id) leave();
    if (personId !== id) onEnter?.(id);
    personId = id;
    become('signed-in');
  };
  const tellTabs = () => channel.postMessage('session');
  const noteSignedIn = ({ user }: Pick<SignedIn, 'user'>) => {
    enter(user.id);
    tellTabs();
  };
  const ask = async () => {
    try {
      enter((await platform().client.get('/v1/auth/get-session')).user.id);
    } catch (error) {
      if (BerthError.is(error, 'unauthenticated')) become(personId === undefined ? 'signed-out' : 'expired');
      // A platform that is restarted signs nobody out.
      else if (state === 'unknown') become('unreachable');
    }
  };
  const check = () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };

  // Another tab signed somebody in or out: the cookie tells whom.
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === 'signed-out') leave();
    else if (data === 'session') void check();
  });

  return {
    get state() {
      return state;
    },
    get personId() {
      return personId;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check,
    signIn: async (email, password) =>
      noteSignedIn(await platform().client.post('/v1/auth/sign-in/email', { body: { email, password } })),
    beginFirstRun: async (person) => noteSignedIn(await platform().client.post('/v1/auth/first-run', { body: person })),
    noteSignedIn,
    tellTabs,
    async signOut() {
      await platform().client.post('/v1/auth/sign-out');
      leave();
      channel.postMessage('signed-out');
    },
    async renew(signal) {
      const askedBy = personId;
      if (askedBy === undefined) return false;
      // Another tab may have signed in meanwhile, and then there is nothing to wait for.
      if (state === 'signed-in') await check();
      const isOver = () => state !== 'expired';
      if (!isOver()) await until(isOver, signal);
      signal?.throwIfAborted();
      return state === 'signed-in' && personId === askedBy;
    },
  };

  function until(isOver: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (isOver()) resolve();
    };
    const stop = () => resolve();
    listeners.add(look);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) resolve();
    return promise.finally(() => {
      listeners.delete(look);
      signal?.removeEventListener('abort', stop);
    });
  }
}
