import { randomText } from './pkce.ts';

/** The tokens of a person. */
export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  readonly id?: string;
  /** Expiry in epoch milliseconds; absent where unknown. */
  readonly expiresAtMs?: number;
  /** Id of these tokens, for storage that must not contain tokens. Set by {@link SharedTokens.set}. */
  readonly stamp?: string;
  /** Id of the sign-in; renewed tokens keep it. Set by {@link SharedTokens.set} where it is absent. */
  readonly signIn?: string;
}

/**
 * The tokens that all tabs of a browser at one agent share. Invariants:
 * 1. Tokens are kept in each tab's own storage and travel between tabs by messages: they are gone when the last tab closes.
 * 2. A new tab gets the tokens of the others; a sign-in, a renewal or a sign-out applies to all tabs.
 * 3. All tabs know at once which tokens are the newest, although messages reach a busy tab late.
 * 4. After a sign-out nothing brings that sign-in back: no renewal under way, and no tab that hasn't heard of it yet.
 */
export interface SharedTokens {
  get(): Tokens | undefined;
  /** False while another tab has newer tokens that haven't arrived in this one. */
  isNewest(): boolean;
  /** Sets new tokens, in all tabs; does nothing for those of a sign-in that has ended. */
  set(tokens: Tokens): void;
  /** Drops tokens that are no longer valid, in this tab. */
  forget(): void;
  /** Signs out, in all tabs. */
  end(): void;
  /** Asks the other tabs for their tokens. Resolves when a tab sends different ones, or after the given time. */
  ask(patienceMs: number): Promise<void>;
  /** Calls `listener` after each change, here or in another tab. Returns a function that unsubscribes. */
  subscribe(listener: (from: 'here' | 'elsewhere') => void): () => void;
}

type Message =
  | { readonly type: 'ask' }
  | { readonly type: 'tokens'; readonly tokens: Tokens }
  | { readonly type: 'end' };

const KEY = 'berth-tokens';
const STAMP_KEY = 'berth-tokens-stamp';
/** Id of the sign-in that ended last. */
const ENDED_KEY = 'berth-tokens-ended';

export interface SharedTokensOptions {
  /** Storage of this tab. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Storage of all tabs. It never contains a token. */
  readonly common: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly channel: Pick<BroadcastChannel, 'postMessage' | 'addEventListener'>;
}

export function createSharedTokens({ storage, common, channel }: SharedTokensOptions): SharedTokens {
  const listeners = new Set<(from: 'here' | 'elsewhere') => void>();
  const tell = (message: Message) => channel.postMessage(message);
  const get = (): Tokens | undefined => {
    const text = storage.getItem(KEY);
    return text === null ? undefined : (JSON.parse(text) as Tokens);
  };
  const hasEnded = ({ signIn }: Tokens) => signIn !== undefined && signIn === common.getItem(ENDED_KEY);
  const take = (tokens: Tokens | undefined, from: 'here' | 'elsewhere') => {
    if (tokens) storage.setItem(KEY, JSON.stringify(tokens));
    else storage.removeItem(KEY);
    for (const listener of [...listeners]) listener(from);
  };
  const kept = get();
  // The tab was suspended or closed when the person signed out.
  if (kept && hasEnded(kept)) storage.removeItem(KEY);
  const subscribe: SharedTokens['subscribe'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const tokens = get();
    if (data.type === 'ask' && tokens) tell({ type: 'tokens', tokens });
    else if (data.type === 'tokens' && isNewer(data.tokens, tokens) && !hasEnded(data.tokens))
      take(data.tokens, 'elsewhere');
    else if (data.type === 'end' && tokens) take(undefined, 'elsewhere');
  });
  return {
    get,
    subscribe,
    isNewest() {
      const stamp = common.getItem(STAMP_KEY);
      return stamp === null || stamp === get()?.stamp;
    },
    set(given) {
      if (hasEnded(given)) return;
      const tokens = { ...given, stamp: randomText(), signIn: given.signIn ?? randomText() };
      take(tokens, 'here');
      tell({ type: 'tokens', tokens });
      common.setItem(STAMP_KEY, tokens.stamp);
    },
    forget: () => take(undefined, 'here'),
    end() {
      const { signIn } = get() ?? {};
      if (signIn !== undefined) common.setItem(ENDED_KEY, signIn);
      common.removeItem(STAMP_KEY);
      take(undefined, 'here');
      tell({ type: 'end' });
    },
    ask: (patienceMs) =>
      new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          stop();
          resolve();
        };
        const timer = setTimeout(finish, patienceMs);
        const stop = subscribe(finish);
        tell({ type: 'ask' });
      }),
  };
}

/** Returns whether another tab's tokens are newer: a tab that was suspended may send outdated ones. */
function isNewer(told: Tokens, own: Tokens | undefined): boolean {
  if (own === undefined) return true;
  return told.access !== own.access && (told.expiresAtMs ?? 0) >= (own.expiresAtMs ?? 0);
}
