import { createRenewal, PATIENCE_MS } from './renewal.ts';
import type { Session } from './session.ts';
import type { SharedTokens } from './shared-tokens.ts';

/** Creates the session of an agent without sign-in, or of one under development, where everyone uses the same `token`. */
export function createFixedSession(token?: string): Session {
  return {
    isSignedIn: true,
    canSignIn: false,
    token: async () => token,
    renew: async () => false,
    signIn: async () => {},
    signInAgain: async () => {},
    signOut: async () => {},
    subscribe: () => () => {},
  };
}

/** Creates the session of an agent whose provider the page can't reach: the person enters a token. */
export async function createGivenSession(tokens: SharedTokens): Promise<Session> {
  if (!tokens.get()) await tokens.ask(PATIENCE_MS);
  return {
    get isSignedIn() {
      return tokens.get() !== undefined;
    },
    canSignIn: true,
    token: async () => tokens.get()?.access,
    // A refused token is dropped, unless another tab has a newer one.
    renew: createRenewal(tokens),
    signIn: async () => {},
    signInAgain: async () => {},
    async signOut() {
      // First: it tells the other tabs which sign-in it ends, which is in the storage.
      tokens.end();
      sessionStorage.clear();
      location.reload();
    },
    subscribe: (listener) => tokens.subscribe(listener),
  };
}
