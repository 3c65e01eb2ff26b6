import { useEffect, useState, useSyncExternalStore } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { createLogFeed, type FeedState, type LogFeed } from '../state/log-feed.ts';
import type { LogsView } from '../state/logs-view.ts';

/**
 * Returns the feed of a view and its state. A new `key` starts a new feed. A live feed doesn't follow the log while the
 * browser tab is hidden. Undefined until the first feed is created.
 */
export function useLogFeed(view: LogsView, key: string): { feed: LogFeed; state: FeedState } | undefined {
  const { client } = useConsole();
  const [feed, setFeed] = useState<LogFeed>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` identifies the parts of the view that need a new feed
  useEffect(() => {
    const made = createLogFeed(view, { client, nowMs: Date.now, later: (work, ms) => void setTimeout(work, ms) });
    const follow = () => made.setFollowing(document.visibilityState !== 'hidden');
    follow();
    document.addEventListener('visibilitychange', follow);
    setFeed(made);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      made.close();
    };
  }, [client, key]);
  const state = useSyncExternalStore(feed?.subscribe ?? subscribeToNothing, () => feed?.getState());
  return feed && state ? { feed, state } : undefined;
}

function subscribeToNothing(): () => void {
  return () => {};
}
