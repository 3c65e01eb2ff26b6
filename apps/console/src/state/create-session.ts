import type { Session } from '@berth/contract';
import { BerthError } from '@berth/kit';
import type { Platform } from './create-platform.ts';

/**
 * Whether somebody is signed in. `expired`: somebody was, and the page stays as it is, with all that was typed, until they
 * sign in again. `unreachable`: the platform did not answer the first question.
 */
export type SessionState = 'unknown' | 'signed-out' | 'signed-in' | 'expired' | 'unreachable';

/** Who is signed in, in the form that React's external stores have. The credential itself is a cookie that no script can read. */
export interface SessionStore {
  readonly state: SessionState;
  subscribe(listener: () => void): () => void;
  /** Asks the server, which also gives the session its whole life back. */
  check(): Promise<void>;
  signIn(email: string, password: string): Promise<void>;
  /** Makes the platform's first person with the secret of the link that the server printed. */
  beginFirstRun(person: { token: string; email: string; password: string; name?: string }): Promise<void>;
  signOut(): Promise<void>;
  /** For a 401 that came in mid-work. */
  noteSignedOut(): void;
}

export function createSession(platform: () => Pick<Platform, 'transport'>): SessionStore {
  let state: SessionState = 'unknown';
  const listeners = new Set<() => void>();
  const become = (next: SessionState) => {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };
  const post = (path: string, body: unknown) => platform().transport.json({ method: 'POST', path, body });
  const noteSignedOut = () => become(state === 'signed-in' || state === 'expired' ? 'expired' : 'signed-out');
  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async check() {
      try {
        await platform().transport.json<Session>({ method: 'GET', path: '/v1/auth/get-session' });
        become('signed-in');
      } catch (error) {
        if (BerthError.is(error, 'unauthenticated')) noteSignedOut();
        // A platform that is restarted signs nobody out.
        else if (state === 'unknown') become('unreachable');
      }
    },
    async signIn(email, password) {
      await post('/v1/auth/sign-in/email', { email, password });
      become('signed-in');
    },
    async beginFirstRun(person) {
      await post('/v1/auth/first-run', person);
      become('signed-in');
    },
    async signOut() {
      await post('/v1/auth/sign-out', {});
      become('signed-out');
    },
    noteSignedOut,
  };
}
