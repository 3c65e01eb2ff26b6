import { randomText } from './pkce.ts';
import { createProvider, type PendingSignIn } from './provider.ts';
import { createRenewal, PATIENCE_MS } from './renewal.ts';
import type { SharedTokens } from './shared-tokens.ts';
import type { SignInConfig } from './sign-in-config.ts';

/** Who the person is, as far as the page has to know. */
export interface Session {
  readonly isSignedIn: boolean;
  /** False where everybody is the same person: there is nothing to sign in to or out of. */
  readonly canSignIn: boolean;
  /** A token to send; undefined when nobody is signed in. @throws Error when the provider can't be asked now */
  token(): Promise<string | undefined>;
  /** Gets a new token without the person; false when they have to sign in. @throws Error when the provider can't be asked now */
  renew(): Promise<boolean>;
  /** Leaves the page for the provider's, to come back signed in. */
  signIn(): Promise<void>;
  /** Signs in beside the page, which stays as it is; where the browser opens no window, as {@link signIn}. */
  signInAgain(): Promise<void>;
  signOut(): Promise<void>;
  /** Calls `listener` when somebody has signed in or out, here or in another tab, until what it returns is called. */
  subscribe(listener: () => void): () => void;
}

/** What came of opening the session. */
export interface OpenedSession {
  readonly session: Session;
  /** Why the sign-in that the person comes back from did not work. */
  readonly problem: unknown;
  /** This window was for signing in only, which is done; it closes where the browser lets it. */
  readonly isDone: boolean;
}

const PENDING = 'berth-sign-in';

/** A token is taken for run out so long before it is, for clocks that differ. */
const EARLY_MS = 15_000;

/** Signs in by the authorisation code flow with PKCE. Takes up a sign-in that the provider sent the person back from. */
export async function openSession(config: SignInConfig, tokens: SharedTokens): Promise<OpenedSession> {
  const provider = createProvider(config, `${location.origin}/`);
  const renew = createRenewal(tokens, (refresh) => provider.renew(refresh));
  const begin = (isWindow: boolean): PendingSignIn => {
    const returnTo = location.pathname + location.search;
    const pending = { state: randomText(), verifier: randomText(), returnTo, isWindow };
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
    return pending;
  };
  const signIn = async () => location.assign(await provider.signInUrl(begin(false)));

  /** True where a window that was opened for signing in has done so. */
  const takeUp = async (answer: URLSearchParams) => {
    const pending = readPending();
    history.replaceState(null, '', pending?.returnTo ?? '/');
    tokens.set(await provider.redeem(answer, pending));
    return pending?.isWindow === true;
  };

  const session: Session = {
    get isSignedIn() {
      return tokens.get() !== undefined;
    },
    canSignIn: true,
    async token() {
      const { expiresAtMs = Number.POSITIVE_INFINITY } = tokens.get() ?? {};
      if (expiresAtMs - EARLY_MS < Date.now()) await renew();
      return tokens.get()?.access;
    },
    renew,
    signIn,
    async signInAgain() {
      const pending = begin(true);
      // Now, as part of the click: later a browser takes it for an advertisement. The window gets a copy of this storage.
      const popup = open('about:blank', '_blank', 'popup,width=500,height=680');
      if (!popup) return await signIn();
      sessionStorage.removeItem(PENDING);
      try {
        popup.location.replace(await provider.signInUrl(pending));
      } catch (error) {
        popup.close();
        throw error;
      }
    },
    async signOut() {
      const id = tokens.get()?.id;
      sessionStorage.clear();
      tokens.end();
      // Signed out here it is in any case.
      const url = await provider.signOutUrl(id).catch(() => undefined);
      if (url === undefined) location.reload();
      else location.assign(url);
    },
    subscribe: (listener) => tokens.subscribe(listener),
  };
  const answer = new URLSearchParams(location.search);
  try {
    const isAnswer = answer.has('state') && (answer.has('code') || answer.has('error'));
    const isDone = isAnswer && (await takeUp(answer));
    if (isDone) close();
    else if (!tokens.get()) await tokens.ask(PATIENCE_MS);
    return { session, problem: undefined, isDone };
  } catch (problem) {
    return { session, problem, isDone: false };
  }
}

function readPending(): PendingSignIn | undefined {
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  return text === null ? undefined : (JSON.parse(text) as PendingSignIn);
}
