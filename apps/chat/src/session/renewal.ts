import { SignInRefused } from './provider.ts';
import type { SharedTokens, Tokens } from './shared-tokens.ts';

/** Within it the other tabs say what they have. What comes later is taken all the same. */
export const PATIENCE_MS = 150;
/** A tab that is known to have newer tokens is waited for so long, unless it was closed with them. */
const LONG_PATIENCE_MS = 5_000;

/**
 * What gets new tokens: one tab at a time, and once however often it is asked, since a refresh token is good once. False
 * when the person has to sign in.
 * @param renewAt what asks the provider; undefined where nothing can be renewed
 */
export function createRenewal(
  tokens: SharedTokens,
  renewAt?: (refresh: string) => Promise<Tokens>,
): () => Promise<boolean> {
  let renewing: Promise<boolean> | undefined;
  const renew = async () => {
    const before = tokens.get();
    // Another tab may have been quicker.
    await tokens.ask(tokens.isNewest() ? PATIENCE_MS : LONG_PATIENCE_MS);
    const now = tokens.get();
    if (now !== undefined && now.access !== before?.access) return true;
    try {
      if (renewAt === undefined || now?.refresh === undefined)
        throw new SignInRefused('There is nothing to renew with.');
      tokens.set({ ...now, ...(await renewAt(now.refresh)) });
      return true;
    } catch (error) {
      // Whoever can't be asked has not said no.
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

/** Runs `work` while no other tab does the like. */
function exclusively<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
  // Not there without TLS, where there is no sign-in by a provider either.
  return navigator.locks === undefined ? work() : (navigator.locks.request(name, work) as Promise<Value>);
}
