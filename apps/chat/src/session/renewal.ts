import { SignInRefused } from './provider.ts';
import type { SharedTokens, Tokens } from './shared-tokens.ts';

/** How long to wait for tokens of other tabs. Tokens that arrive later are accepted as well. */
export const PATIENCE_MS = 150;
/** How long to wait for newer tokens that another tab is known to have; that tab may have been closed. */
const LONG_PATIENCE_MS = 5_000;

/**
 * Creates the function that renews the tokens. A refresh token can be used once, so one tab renews at a time, and concurrent
 * calls share the result. It returns false when the person has to sign in.
 * @param renewAt what asks the provider; undefined where nothing can be renewed
 */
export function createRenewal(
  tokens: SharedTokens,
  renewAt?: (refresh: string) => Promise<Tokens>,
): () => Promise<boolean> {
  let renewing: Promise<boolean> | undefined;
  const renew = async () => {
    const before = tokens.get();
    // Another tab may have renewed the tokens meanwhile.
    await tokens.ask(tokens.isNewest() ? PATIENCE_MS : LONG_PATIENCE_MS);
    const now = tokens.get();
    if (now !== undefined && now.access !== before?.access) return true;
    try {
      if (renewAt === undefined || now?.refresh === undefined)
        throw new SignInRefused('There is nothing to renew with.');
      const renewed = await renewAt(now.refresh);
      // Meanwhile the person may have signed out, and somebody else in.
      if (tokens.get()?.signIn === now.signIn) tokens.set({ ...now, ...renewed });
      return tokens.get() !== undefined;
    } catch (error) {
      // A provider that can't be reached hasn't refused.
      if (!(error instanceof SignInRefused)) throw error;
      tokens.forget();
      return false;
    }
  };
  return () => {
    renewing ??= exclusively('berth-renew', renew).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
}

/** Runs `work` under a lock that all tabs share. */
function exclusively<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
  // Web Locks need a secure context; without one there is no sign-in with a provider either.
  return navigator.locks === undefined ? work() : (navigator.locks.request(name, work) as Promise<Value>);
}
