import type { Client } from '@berth/client';
import type { SignedIn } from '@berth/contract';
import { createStore } from '@berth/ui/store';

/**
 * State of the session. `expired`: it ended while the page is open; the page keeps everything that was typed until the person
 * signs in again. `unreachable`: the platform didn't answer the first request.
 */
export type SessionState = 'unknown' | 'signed-out' | 'signed-in' | 'expired' | 'unreachable';

/**
 * The session, as an external store for React. Invariants:
 * 1. The credential itself is a cookie that no script can read; all tabs of a browser have the same one.
 * 2. A call that one person began is never retried as another person.
 */
export interface SessionStore {
  readonly state: SessionState;
  /** ID of the person; undefined when signed out. */
  readonly personId: string | undefined;
  /** E-mail address of the person who is or was signed in last in this page; kept when the session expires. */
  readonly email: string | undefined;
  subscribe(listener: () => void): () => void;
  /** Reads the session from the server, which also extends it to its full lifetime. */
  check(): Promise<void>;
  signIn(email: string, password: string): Promise<void>;
  /** Creates the platform's first person with the secret of the link that the server printed. */
  beginFirstRun(person: { token: string; email: string; password: string; name?: string }): Promise<void>;
  /** Takes over the server's answer to a sign-in made in another way, such as a passkey. */
  noteSignedIn(answer: Pick<SignedIn, 'user'>): void;
  signOut(): Promise<void>;
  /** Makes the browser's other tabs reload the session. */
  tellTabs(): void;
  /**
   * Waits, for a call that was refused with 401, until its person has signed in again.
   * @returns false when no one was signed in, the person signs out, or another person signs in
   * @throws the signal's reason
   */
  renew(signal: AbortSignal | undefined): Promise<boolean>;
}

/** The channel between the tabs of a browser. */
export type TabChannel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener'>;

export interface CreateSessionOptions {
  /** Returns the API's client, which is created after the session because it depends on it. */
  client(): Pick<Client, 'get' | 'post'>;
  readonly channel: TabChannel;
  /** Called with a person's id before any call is made in their name. */
  onEnter?(personId: string): void;
}

export function createSession({ client, channel, onEnter }: CreateSessionOptions): SessionStore {
  const store = createStore<SessionState>('unknown');
  let personId: string | undefined;
  let email: string | undefined;
  let asking: Promise<void> | undefined;
  const leave = () => {
    personId = undefined;
    store.set('signed-out');
  };
  const enter = (id: string, address: string) => {
    email = address;
    // Calls that wait for the previous person end here.
    if (personId !== undefined && personId !== id) leave();
    if (personId !== id) onEnter?.(id);
    personId = id;
    store.set('signed-in');
  };
  const tellTabs = () => channel.postMessage('session');
  const noteSignedIn = ({ user }: Pick<SignedIn, 'user'>) => {
    enter(user.id, user.email);
    tellTabs();
  };
  const ask = async () => {
    try {
      const { session } = await client().get('/v1/auth/session');
      if (session) enter(session.user.id, session.user.email);
      else store.set(personId === undefined ? 'signed-out' : 'expired');
    } catch {
      // A restart of the platform doesn't sign anybody out.
      if (store.get() === 'unknown') store.set('unreachable');
    }
  };
  const check = () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };

  // Another tab signed in or out; the cookie says who is signed in now.
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === 'signed-out') leave();
    else if (data === 'session') void check();
  });

  return {
    get state() {
      return store.get();
    },
    get personId() {
      return personId;
    },
    get email() {
      return email;
    },
    subscribe: store.subscribe,
    check,
    signIn: async (email, password) =>
      noteSignedIn(await client().post('/v1/auth/sign-in/email', { body: { email, password } })),
    beginFirstRun: async (person) => noteSignedIn(await client().post('/v1/auth/first-run', { body: person })),
    noteSignedIn,
    tellTabs,
    async signOut() {
      await client().post('/v1/auth/sign-out');
      leave();
      channel.postMessage('signed-out');
    },
    async renew(signal) {
      const askedBy = personId;
      if (askedBy === undefined) return false;
      // Another tab may have signed in meanwhile; then there is nothing to wait for.
      if (store.get() === 'signed-in') await check();
      const isOver = () => store.get() !== 'expired';
      if (!isOver()) await until(isOver, signal);
      signal?.throwIfAborted();
      return store.get() === 'signed-in' && personId === askedBy;
    },
  };

  function until(isOver: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (isOver()) resolve();
    };
    const stop = () => resolve();
    const unsubscribe = store.subscribe(look);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) resolve();
    return promise.finally(() => {
      unsubscribe();
      signal?.removeEventListener('abort', stop);
    });
  }
}
