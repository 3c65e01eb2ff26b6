import type { Session } from './session.ts';

const GIVEN = 'berth-given-token';

/** For agents that anybody may use, and for those under development, where everybody is the person of `token`. */
export function createFixedSession(token?: string): Session {
  return {
    isSignedIn: true,
    token: async () => token,
    renew: async () => false,
    signIn: async () => {},
    signOut: async () => {},
  };
}

/** A session whose token somebody brings. */
export interface GivenSession extends Session {
  /** Takes a token, and begins the page anew with it. */
  take(token: string): void;
}

/** For agents whose provider the page knows no way to: the person brings a token, which the tab keeps. */
export function createGivenSession(): GivenSession {
  return {
    get isSignedIn() {
      return sessionStorage.getItem(GIVEN) !== null;
    },
    token: async () => sessionStorage.getItem(GIVEN) ?? undefined,
    // One that is refused is good for nothing: the page asks for another.
    async renew() {
      sessionStorage.removeItem(GIVEN);
      return false;
    },
    take(token) {
      sessionStorage.setItem(GIVEN, token);
      location.reload();
    },
    signIn: async () => {},
    async signOut() {
      sessionStorage.clear();
      location.reload();
    },
  };
}
