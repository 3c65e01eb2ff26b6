import { createStore, type Store } from '@berth/ui/store';
import type { Session } from './session.ts';
import type { SharedTokens, Tokens } from './shared-tokens.ts';

/**
 * A session whose calls wait, once it has expired, until the person has signed in again, so that no work is lost.
 */
export interface GuardedSession extends Session {
  /** True while the person has to sign in again. */
  readonly hasEnded: Store<boolean>;
}

/** @param leave reloads the page after the person signed out, or another person signed in, in another tab */
export function guardSession(session: Session, tokens: SharedTokens, leave: () => void): GuardedSession {
  const hasEnded = createStore(false);
  let person = tokens.get();
  const stop = tokens.subscribe((from) => {
    const now = tokens.get();
    if (now === undefined && from === 'here') return;
    if (now === undefined || !isSamePerson(person, now)) {
      stop();
      return leave();
    }
    person = now;
    hasEnded.set(false);
  });
  const signedInAgain = () =>
    new Promise<void>((resolve) => {
      hasEnded.set(true);
      const forget = hasEnded.subscribe(() => {
        forget();
        resolve();
      });
    });
  return {
    ...session,
    hasEnded,
    get isSignedIn() {
      return session.isSignedIn;
    },
    async token() {
      for (;;) {
        const token = await session.token();
        if (token !== undefined || !session.canSignIn) return token;
        await signedInAgain();
      }
    },
    async renew() {
      if (!(await session.renew())) {
        if (!session.canSignIn) return false;
        await signedInAgain();
      }
      return true;
    },
  };
}

/** Returns false when the tokens of two sign-ins name different people. Nothing is verified here; the agent does that. */
export function isSamePerson(one: Tokens | undefined, other: Tokens | undefined): boolean {
  const [subject, otherSubject] = [subjectOf(one), subjectOf(other)];
  return subject === undefined || otherSubject === undefined || subject === otherSubject;
}

function subjectOf(tokens: Tokens | undefined): string | undefined {
  for (const token of [tokens?.id, tokens?.access]) {
    const [, payload] = token?.split('.') ?? [];
    if (payload === undefined) continue;
    try {
      const { sub } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { sub?: unknown };
      if (typeof sub === 'string') return sub;
    } catch {
      // An opaque token names nobody.
    }
  }
  return undefined;
}
