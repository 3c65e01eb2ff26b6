/** A message between tabs of the same agent. */
export type TabMessage =
  /** A turn began in this chat, or the chat changed. */
  | { readonly type: 'chat'; readonly chatId: string }
  /** The list changed: chats were created, deleted or renamed. */
  | { readonly type: 'list' };

/** The channel between the tabs of a browser. */
export interface Tabs {
  tell(message: TabMessage): void;
  /** Listens to other tabs. Returns a function that stops listening. */
  listen(listener: (message: TabMessage) => void): () => void;
}

/** Opens the channel of a workspace: tabs of other workspaces don't receive its messages. */
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
