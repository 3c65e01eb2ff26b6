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

/** For agents whose provider the page knows no way to: the person brings a token, which the tab keeps. */
export function createGivenSession(): Session {
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
    async signIn() {
      const token = prompt('A token of this agent (Authorization: Bearer …)')?.trim();
      if (!token) return;
      sessionStorage.setItem(GIVEN, token);
      location.reload();
    },
    async signOut() {
      sessionStorage.clear();
      location.reload();
    },
  };
}
