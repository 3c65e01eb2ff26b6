import type { AgentConfig } from '@berth/contract/agent';
import { createStore } from '@berth/ui/store';
import type { Agent } from '../api/agent-context.ts';
import { createApi } from '../api/api.ts';
import { createPutFile } from '../api/put-file.ts';
import { awaitTitle } from '../features/chats/await-title.ts';
import { createChatList } from '../features/chats/chat-list.ts';
import type { Chats } from '../features/chats/chats-context.ts';
import { createConversation } from '../features/conversation/state/create-conversation.ts';
import { createMessageQueue } from '../features/conversation/state/message-queue.ts';
import type { OpenChat } from '../features/conversation/state/open-chat-context.ts';
import {
  createDrafts,
  createKeptChats,
  createOutbox,
  createQueues,
} from '../features/conversation/state/tab-storage.ts';
import { createAttachments } from '../features/uploads/attachments.ts';
import { pageAddress } from '../page/page-address.ts';
import { randomText } from '../session/pkce.ts';
import type { Session } from '../session/session.ts';
import { guardSession } from '../session/session-guard.ts';
import type { SharedTokens } from '../session/shared-tokens.ts';
import { schedule } from '../store/schedule.ts';

/** A message to the other tabs of a browser. */
type TabMessage =
  /** A turn began in this chat, or the chat changed. */
  | { readonly type: 'chat'; readonly chatId: string }
  /** The list changed: chats were created, deleted or renamed. */
  | { readonly type: 'list' };

/** The stores and services that features read from their contexts. */
export interface Page {
  readonly agent: Agent;
  readonly openChat: OpenChat;
  readonly chats: Chats;
}

export interface PageOptions {
  readonly config: AgentConfig;
  readonly session: Session;
  readonly tokens: SharedTokens;
  readonly teamId: string | undefined;
}

/** Creates what the page of the person who is signed in needs, with this browser's storage, address and tabs. */
export function createPage({ config, session: given, tokens, teamId }: PageOptions): Page {
  const session = guardSession(given, tokens, () => beginAnew(tokens));
  const api = createApi(session, teamId);
  const putFile = createPutFile({ session, teamId, maxBytes: config.max_upload * 1024 ** 2 });
  // Tabs of other workspaces don't receive its messages.
  const tabs = new BroadcastChannel(`berth-chat:${teamId ?? ''}`);
  const tell = (message: TabMessage) => tabs.postMessage(message);
  const list = createChatList(api, Date.now, () => tell({ type: 'list' }));
  const showAddress = (chatId: string | undefined, how: 'pushState' | 'replaceState') => {
    const address = pageAddress({ chatId: config.auth ? chatId : undefined, teamId });
    if (location.pathname + location.search !== address) history[how](null, '', address);
  };
  const target = createStore<number | undefined>(undefined);
  const conversation = createConversation({
    ...{ api, createId: randomText, isStored: config.auth },
    ...{ kept: createKeptChats(sessionStorage), outbox: createOutbox(sessionStorage) },
    ...{ schedule, wait },
    onChange(chatId) {
      if (conversation.state.get().chatId === chatId) showAddress(chatId, 'replaceState');
      if (!config.auth) return;
      tell({ type: 'chat', chatId });
      void list.refresh().then(() => {
        const { chatId: shown, phase, items } = conversation.state.get();
        const isFirst = shown === chatId && phase === 'idle' && items.length === 2;
        if (config.titles && isFirst) return awaitTitle(list, chatId, (delayMs) => wait(delayMs, NEVER));
      });
    },
  });
  tabs.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    void list.refresh();
    if (data.type === 'chat' && data.chatId === conversation.state.get().chatId) void conversation.refresh();
  });
  // Changes from other devices are read when the page becomes visible or the network returns.
  const catchUp = () => {
    if (document.visibilityState !== 'visible' || !config.auth) return;
    void conversation.refresh();
    void list.refresh();
  };
  document.addEventListener('visibilitychange', catchUp);
  addEventListener('online', catchUp);
  return {
    agent: { config, api, putFile, session, teamId },
    openChat: {
      conversation,
      drafts: createDrafts(sessionStorage),
      target,
      queue: createMessageQueue({ conversation, storage: createQueues(sessionStorage), createId: randomText }),
      added: createStore<string | undefined>(undefined),
      uploads: createAttachments({
        ...{ put: putFile, createId: randomText, storage: sessionStorage },
        storageKey: `berth-attached:${teamId ?? ''}`,
        async typeOf(url) {
          const type = (await api.send(url, { method: 'HEAD' })).headers.get('content-type');
          return type ?? 'application/octet-stream';
        },
      }),
    },
    chats: {
      list,
      async go(chatId, at) {
        showAddress(chatId, 'pushState');
        await conversation.open(chatId);
        target.set(at);
      },
    },
  };
}

/** Reloads the page without anything of the previous person: only the tokens of the current one stay. */
function beginAnew(tokens: SharedTokens): void {
  const now = tokens.get();
  sessionStorage.clear();
  if (now) tokens.set(now);
  location.replace('/');
}

/** A signal for what nothing ends. */
const NEVER = new AbortController().signal;

function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, delayMs);
    // Retry at once when the network returns.
    addEventListener('online', () => resolve(), { once: true, signal });
    const fail = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
