import { useEffect, useState, useSyncExternalStore } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { createLogFeed, type FeedState, type LogFeed } from '../state/log-feed.ts';
import type { LogsView } from '../state/logs-view.ts';

/** The feed of a view; `key` says when it is another. Undefined until the first one is made. */
export function useLogFeed(view: LogsView, key: string): { feed: LogFeed; state: FeedState } | undefined {
  const { client } = useConsole();
  const [feed, setFeed] = useState<LogFeed>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` is all of the view that makes it another
  useEffect(() => {
    const made = createLogFeed(view, { client, nowMs: Date.now, later: (work, ms) => void setTimeout(work, ms) });
    setFeed(made);
    return () => made.close();
  }, [client, key]);
  const state = useSyncExternalStore(feed?.subscribe ?? subscribeToNothing, () => feed?.getState());
  return feed && state ? { feed, state } : undefined;
}

function subscribeToNothing(): () => void {
  return () => {};
}
