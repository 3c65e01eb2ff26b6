import { randomText } from './pkce.ts';
import type { SignInConfig } from './provider.ts';
import { createProvider, type PendingSignIn } from './provider.ts';
import { createRenewal, PATIENCE_MS } from './renewal.ts';
import type { SharedTokens } from './shared-tokens.ts';

/** The person's session at the agent. */
export interface Session {
  readonly isSignedIn: boolean;
  /** False for an agent without sign-in. */
  readonly canSignIn: boolean;
  /** A token to send; undefined when signed out. @throws Error when the provider can't be reached */
  token(): Promise<string | undefined>;
  /** Gets a new token without the person; false when they have to sign in. @throws Error when the provider can't be asked now */
  renew(): Promise<boolean>;
  /** Navigates to the identity provider, which sends the person back signed in. */
  signIn(): Promise<void>;
  /** Signs in within a popup while the page stays open; where the browser blocks popups, as {@link signIn}. */
  signInAgain(): Promise<void>;
  signOut(): Promise<void>;
  /** Calls `listener` after each sign-in or sign-out, here or in another tab. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

/** The result of opening a session. */
export interface OpenedSession {
  readonly session: Session;
  /** Error of the sign-in that the person returns from; undefined where there was none. */
  readonly problem: unknown;
  /** True when this window was a popup for the sign-in, which is done; the window closes if the browser allows it. */
  readonly isDone: boolean;
}

const PENDING = 'berth-sign-in';

/** A token counts as expired this long before it expires, to allow for clock skew. */
const EARLY_MS = 15_000;

/** Opens the session, which signs in by the authorization code flow with PKCE. Completes a sign-in that the provider sent the person back from. */
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

  /** Redeems the provider's answer. Returns true when this window is a popup for the sign-in. */
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
      // The popup opens during the click, since browsers block later ones. It gets a copy of this tab's storage.
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
      // First: it tells the other tabs which sign-in it ends, which is in the storage.
      tokens.end();
      sessionStorage.clear();
      // This page is signed out even when the provider can't be reached.
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
