import { randomText } from './pkce.ts';

/** What a person is known by. */
export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  readonly id?: string;
  /** Unix time; absent where nothing is known of when it runs out. */
  readonly expiresAtMs?: number;
  /** Which tokens these are, for a place where tokens must not lie. Given by {@link SharedTokens.set}. */
  readonly stamp?: string;
}

/**
 * Who is signed in, for all tabs of one browser that are open at an agent. Invariants:
 * 1. Tokens lie in each tab's own storage and go from tab to tab by messages: with the last tab that was signed in they are gone.
 * 2. A tab that opens has those of the others within a moment; whoever signs in, is renewed or signs out does so for all.
 * 3. Which tokens are the newest, all tabs know at once: messages come when a busy tab gets round to them.
 */
export interface SharedTokens {
  get(): Tokens | undefined;
  /** False when another tab has newer ones, which are on their way to this one. */
  isNewest(): boolean;
  /** Signs in or renews, in all tabs. */
  set(tokens: Tokens): void;
  /** Drops what is good for nothing any more, in this tab. */
  forget(): void;
  /** Signs out, in all tabs. */
  end(): void;
  /** Asks the other tabs; resolves when one has others than these, else when so much time is over. */
  ask(patienceMs: number): Promise<void>;
  /** Calls `listener` after each change, also by another tab, until what it returns is called. */
  subscribe(listener: (from: 'here' | 'elsewhere') => void): () => void;
}

type Message =
  | { readonly type: 'ask' }
  | { readonly type: 'tokens'; readonly tokens: Tokens }
  | { readonly type: 'end' };

const KEY = 'berth-tokens';
const STAMP_KEY = 'berth-tokens-stamp';

export interface SharedTokensOptions {
  /** The tab's own. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Of all tabs; no token is ever put there. */
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
  const take = (tokens: Tokens | undefined, from: 'here' | 'elsewhere') => {
    if (tokens) storage.setItem(KEY, JSON.stringify(tokens));
    else storage.removeItem(KEY);
    for (const listener of [...listeners]) listener(from);
  };
  const subscribe: SharedTokens['subscribe'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const tokens = get();
    if (data.type === 'ask' && tokens) tell({ type: 'tokens', tokens });
    else if (data.type === 'tokens' && isNewer(data.tokens, tokens)) take(data.tokens, 'elsewhere');
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
      const tokens = { ...given, stamp: randomText() };
      take(tokens, 'here');
      tell({ type: 'tokens', tokens });
      common.setItem(STAMP_KEY, tokens.stamp);
    },
    forget: () => take(undefined, 'here'),
    end() {
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

/** A tab that slept may still tell what was renewed long ago. */
function isNewer(told: Tokens, own: Tokens | undefined): boolean {
  if (own === undefined) return true;
  return told.access !== own.access && (told.expiresAtMs ?? 0) >= (own.expiresAtMs ?? 0);
}
