import type { Client } from '@berth/client';
import type { LogEntry } from '@berth/contract';
import { createStore } from '@berth/ui/store';
import { rangeMs } from '../../../components/time-range/time-range.ts';
import { buildFilter } from './build-filter.ts';
import type { LogsView } from './logs-view.ts';

// 1. Entries are newest first, without duplicates: timestamps are unique within a log.
// 2. There are no gaps: entries are dropped only at an end, and then `hasOlder` or `hasNewer` is true.
// 3. At most `ENTRIES_MOST` entries are shown, and at most `HELD_MOST` wait.

const PAGE_ENTRIES = 200;
const ENTRIES_MOST = 20_000;
/** Number of newer entries shown around the entry of a link; the rest are one press away. */
const AROUND_ENTRIES = 25;
/**
 * Maximum number of waiting entries. Beyond it a paused tail is closed, and resuming starts again at the newest entry.
 */
const HELD_MOST = 5_000;
/** Minimum time between two updates of the view with new entries. */
const SHOW_EVERY_MS = 100;

/** State of a log feed; a new object at each change. */
export interface FeedState {
  readonly entries: readonly LogEntry[];
  readonly status: 'loading' | 'ready' | 'failed';
  readonly error: unknown;
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly isLoadingMore: boolean;
  /** `lost` while the server doesn't respond; the tail keeps reconnecting. */
  readonly live: 'off' | 'on' | 'lost';
  /** True if new entries wait instead of being shown. */
  readonly isPaused: boolean;
  readonly heldCount: number;
  /** True if more entries arrived than are kept. */
  readonly isHeldOver: boolean;
}

const NOTHING: FeedState = {
  entries: [],
  status: 'loading',
  error: undefined,
  hasOlder: false,
  hasNewer: false,
  isLoadingMore: false,
  live: 'off',
  isPaused: false,
  heldCount: 0,
  isHeldOver: false,
};

/** Dependencies of {@link createLogFeed}. */
export interface LogFeedDeps {
  readonly client: Pick<Client, 'post' | 'tailLogs'>;
  readonly nowMs: () => number;
  /** Runs `work` after `ms` milliseconds. */
  readonly later: (work: () => void, ms: number) => void;
}

/** Feed of a view's entries: pages backward and forward, and tails the log if the view is live. */
export interface LogFeed {
  getState(): FeedState;
  subscribe(listener: () => void): () => void;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  setPaused(isPaused: boolean): void;
  /** Stops following the log, or follows it again from the newest entry, without a gap. Does nothing if the view isn't live. */
  setFollowing(isFollowing: boolean): void;
  close(): void;
}

/** Returns a feed that starts to load at once. The view is fixed; another view needs a new feed. */
export function createLogFeed(view: LogsView, { client, nowMs, later }: LogFeedDeps): LogFeed {
  const ended = new AbortController();
  const store = createStore(NOTHING);
  let tail: AbortController | undefined;
  /** Waiting entries in order of arrival, newest last. */
  let held: LogEntry[] = [];
  let isShowingSoon = false;
  let isFollowing = true;
  const range = rangeMs(view.range, nowMs());
  const from = new Date(range.fromMs).toISOString();
  const upTo = 'last' in view.range ? undefined : view.range.to;

  function change(changes: Partial<FeedState>): void {
    if (ended.signal.aborted) return;
    store.patch(changes);
  }

  async function fetchPage(
    bounds: { before?: string; upTo?: string | undefined; since?: string },
    limit = PAGE_ENTRIES,
  ): Promise<LogEntry[]> {
    const { since, ...others } = bounds;
    const query = buildFilter(view, { from: since === undefined ? from : undefined, upTo, ...others });
    const request = { deployment_name: view.deployment, limit, query, since };
    return (await client.post('/v1/deployment/logs', { body: request, signal: ended.signal })).logs;
  }

  async function begin(): Promise<void> {
    try {
      // A link to an entry loads the entries around it.
      const middle = view.isLive ? undefined : view.entry;
      const [logs, newer] = await Promise.all([
        fetchPage({ upTo: middle ?? upTo }),
        middle === undefined ? [] : fetchPage({ since: middle, upTo }, AROUND_ENTRIES),
      ]);
      const entries = [...newer.toReversed(), ...logs.toReversed()];
      change({ entries, status: 'ready', hasOlder: logs.length > 0, hasNewer: newer.length > 0 });
      void follow();
    } catch (error) {
      if (!ended.signal.aborted) change({ status: 'failed', error });
    }
  }

  async function follow(): Promise<void> {
    if (!view.isLive || !isFollowing) return;
    tail = new AbortController();
    const signal = AbortSignal.any([tail.signal, ended.signal]);
    change({ live: 'on' });
    try {
      const entries = client.tailLogs(view.deployment, {
        since: held.at(-1)?.timestamp ?? store.get().entries[0]?.timestamp ?? from,
        query: buildFilter(view),
        signal,
        onLost: () => change({ live: 'lost' }),
        onFound: () => change({ live: 'on' }),
      });
      for await (const entry of entries) {
        if (signal.aborted) return;
        take(entry);
      }
    } catch (error) {
      if (!signal.aborted) change({ live: 'off', error });
    }
  }

  function take(entry: LogEntry): void {
    held.push(entry);
    if (held.length > HELD_MOST && store.get().isPaused) {
      tail?.abort();
      change({ heldCount: HELD_MOST, isHeldOver: true });
    }
    if (isShowingSoon) return;
    isShowingSoon = true;
    later(() => {
      isShowingSoon = false;
      if (store.get().isPaused) change({ heldCount: Math.min(held.length, HELD_MOST) });
      else show();
    }, SHOW_EVERY_MS);
  }

  /** Moves the waiting entries to the top of the shown ones. */
  function show(): void {
    const all = [...held.toReversed(), ...store.get().entries];
    held = [];
    const entries = all.slice(0, ENTRIES_MOST);
    change({ entries, heldCount: 0, hasOlder: store.get().hasOlder || entries.length < all.length });
  }

  async function loadMore(load: () => Promise<Partial<FeedState>>): Promise<void> {
    if (store.get().isLoadingMore || store.get().status !== 'ready') return;
    change({ isLoadingMore: true, error: undefined });
    try {
      change({ ...(await load()), isLoadingMore: false });
    } catch (error) {
      change({ isLoadingMore: false, error });
    }
  }

  const loadOlder = () =>
    loadMore(async () => {
      const last = store.get().entries.at(-1);
      const logs = await fetchPage(last ? { before: last.timestamp } : {});
      const all = [...store.get().entries, ...logs.toReversed()];
      // Newer entries are dropped to make room, unless a live tail continues from them.
      const isOver = all.length > ENTRIES_MOST && store.get().live === 'off';
      return {
        entries: isOver ? all.slice(-ENTRIES_MOST) : all,
        hasNewer: store.get().hasNewer || isOver,
        hasOlder: logs.length > 0 && (all.length <= ENTRIES_MOST || isOver),
      };
    });

  const loadNewer = () =>
    loadMore(async () => {
      const logs = await fetchPage({ since: store.get().entries[0]?.timestamp ?? from });
      const all = [...logs.toReversed(), ...store.get().entries];
      const entries = all.slice(0, ENTRIES_MOST);
      return { entries, hasNewer: logs.length > 0, hasOlder: store.get().hasOlder || entries.length < all.length };
    });

  void begin();
  return {
    getState: () => store.get(),
    subscribe: store.subscribe,
    loadOlder,
    loadNewer,
    setPaused(isPaused) {
      if (isPaused === store.get().isPaused) return;
      const isHeldOver = store.get().isHeldOver && !isPaused;
      change({ isPaused, ...(isHeldOver && { ...NOTHING, isPaused }) });
      if (isHeldOver) {
        held = [];
        void begin();
      } else if (!isPaused) show();
    },
    setFollowing(next) {
      if (next === isFollowing) return;
      isFollowing = next;
      if (!next) tail?.abort();
      else if (store.get().status === 'ready' && !store.get().isHeldOver) void follow();
    },
    close() {
      ended.abort(new DOMException('the view was left', 'AbortError'));
    },
  };
}
