/** What one tab tells the others of the same agent. */
export type TabMessage =
  /** A turn began in this chat, or something in it changed. */
  | { readonly type: 'chat'; readonly chatId: string }
  /** Chats came, went or have another name. */
  | { readonly type: 'list' };

/** A line between the tabs of one browser. */
export interface Tabs {
  tell(message: TabMessage): void;
  /** Hears what other tabs tell until what it returns is called. */
  listen(listener: (message: TabMessage) => void): () => void;
}

/** Tabs that work in the same workspace talk; those of another hear nothing. */
export function createTabs(teamId: string | undefined): Tabs {
  const channel = new BroadcastChannel(`berth-chat:${teamId ?? ''}`);
  return {
    tell: (message) => channel.postMessage(message),
    listen(listener) {
      const take = ({ data }: MessageEvent<TabMessage>) => listener(data);
      channel.addEventListener('message', take);
      return () => channel.removeEventListener('message', take);
    },
  };
}
