import { createRenewal, PATIENCE_MS } from './renewal.ts';
import type { Session } from './session.ts';
import type { SharedTokens } from './shared-tokens.ts';

/** For agents that anybody may use, and for those under development, where everybody is the person of `token`. */
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

/** For agents whose provider the page knows no way to: the person brings a token, and the page asks for it. */
export async function createGivenSession(tokens: SharedTokens): Promise<Session> {
  if (!tokens.get()) await tokens.ask(PATIENCE_MS);
  return {
    get isSignedIn() {
      return tokens.get() !== undefined;
    },
    canSignIn: true,
    token: async () => tokens.get()?.access,
    // One that is refused is good for nothing, unless another tab was given another.
    renew: createRenewal(tokens),
    signIn: async () => {},
    signInAgain: async () => {},
    async signOut() {
      sessionStorage.clear();
      tokens.end();
      location.reload();
    },
    subscribe: (listener) => tokens.subscribe(listener),
  };
}
