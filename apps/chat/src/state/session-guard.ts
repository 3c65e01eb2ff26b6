import type { Session } from './sign-in/session.ts';
import { createStore, type Store } from './store.ts';

/** A session that says when it has ended, so that the page can ask for a sign-in where the person is. */
export interface GuardedSession extends Session {
  /** True from the moment that a token was refused and could not be renewed. */
  readonly hasEnded: Store<boolean>;
}

/** Watches `session`: a renewal that fails is its end. */
export function guardSession(session: Session): GuardedSession {
  const hasEnded = createStore(false);
  return {
    hasEnded,
    get isSignedIn() {
      return session.isSignedIn;
    },
    token: () => session.token(),
    async renew() {
      const isRenewed = await session.renew();
      if (!isRenewed) hasEnded.set(true);
      return isRenewed;
    },
    signIn: () => session.signIn(),
    signOut: () => session.signOut(),
  };
}
