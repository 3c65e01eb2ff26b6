import type { AgentConfig } from '@berth/contract/agent';
import type { Agent } from '../api/agent-context.ts';
import { createApi } from '../api/api.ts';
import { createChatList } from '../features/chats/chat-list.ts';
import type { Chats } from '../features/chats/chats-context.ts';
import { createConversation } from '../features/conversation/state/create-conversation.ts';
import { createDrafts } from '../features/conversation/state/drafts.ts';
import { createKeptChats } from '../features/conversation/state/kept-chat.ts';
import type { OpenChat } from '../features/conversation/state/open-chat-context.ts';
import { createOutbox } from '../features/conversation/state/outbox.ts';
import { createUploads } from '../features/conversation/state/uploads.ts';
import { pageAddress } from '../page/page-address.ts';
import { randomText } from '../session/pkce.ts';
import type { Session } from '../session/session.ts';
import { guardSession } from '../session/session-guard.ts';
import type { SharedTokens } from '../session/shared-tokens.ts';
import { createTabs } from './tabs.ts';

/** What features of the page read from their contexts. */
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
  /** Message for a file above the upload limit, in MiB. */
  readonly tooLarge: (maxMib: number) => string;
  /** Message for an upload whose connection broke. */
  readonly lost: () => string;
}

/** Creates what the page of the person who is signed in needs, with this browser's storage, address and tabs. */
export function createPage({ config, session: given, tokens, teamId, tooLarge, lost }: PageOptions): Page {
  const session = guardSession(given, tokens, () => beginAnew(tokens));
  const api = createApi(session, teamId);
  const tabs = createTabs(teamId);
  const list = createChatList(
    api,
    () => Date.now(),
    () => tabs.tell({ type: 'list' }),
  );
  const showAddress = (chatId: string | undefined, how: 'push' | 'replace') => {
    const address = pageAddress({ chatId: config.auth ? chatId : undefined, teamId });
    if (location.pathname + location.search === address) return;
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  };
  const conversation = createConversation({
    ...{ api, createId: randomText, isStored: config.auth },
    ...{ kept: createKeptChats(sessionStorage), outbox: createOutbox(sessionStorage) },
    schedule(work, delayMs) {
      const timer = setTimeout(work, delayMs);
      return () => clearTimeout(timer);
    },
    wait,
    onChange(chatId) {
      if (conversation.state.get().chatId === chatId) showAddress(chatId, 'replace');
      if (!config.auth) return;
      tabs.tell({ type: 'chat', chatId });
      void list.refresh();
    },
  });
  tabs.listen((message) => {
    if (message.type === 'list') return void list.refresh();
    void list.refresh();
    if (message.chatId === conversation.state.get().chatId) void conversation.refresh();
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
    agent: { config, api, session, teamId },
    openChat: {
      conversation,
      drafts: createDrafts(sessionStorage),
      uploads: createUploads({
        ...{ session, teamId, createId: randomText, maxMib: config.max_upload },
        tooLarge: () => tooLarge(config.max_upload),
        lost,
        storage: sessionStorage,
        async typeOf(url) {
          const type = (await api.send(url, { method: 'HEAD' })).headers.get('content-type');
          return type ?? 'application/octet-stream';
        },
      }),
    },
    chats: {
      list,
      async go(chatId) {
        showAddress(chatId, 'push');
        await conversation.open(chatId);
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
