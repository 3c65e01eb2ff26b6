import { Toast } from '@base-ui/react/toast';
import type { AgentConfig } from '@berth/contract/agent';
import { createStore } from '@berth/ui/store';
import { createElement, type ReactNode } from 'react';
import { jsx, jsxs } from 'react/jsx-runtime';
import { AgentContext } from '../api/agent-context.ts';
import type { FilePut } from '../api/put-file.ts';
import { createChatList } from '../features/chats/chat-list.ts';
import { ChatsContext } from '../features/chats/chats-context.ts';
import { createMessageQueue } from '../features/conversation/state/message-queue.ts';
import { OpenChatContext } from '../features/conversation/state/open-chat-context.ts';
import { createDrafts, createQueues } from '../features/conversation/state/tab-storage.ts';
import { FileReaderContext, type ReadFile } from '../features/media/use-file.ts';
import { createAttachments } from '../features/uploads/attachments.ts';
import { createFixedSession } from '../session/token-session.ts';
import { openConversation } from './open-conversation.ts';
import { openBrowser, openScreen } from './open-screen.ts';

/** A file on its way, which the test lets arrive or fail. */
export interface FakePut extends FilePut {
  arrive(): void;
  fail(error: Error): void;
}

export interface ChatScreenOptions extends NonNullable<Parameters<typeof openConversation>[0]> {
  readonly config?: Partial<AgentConfig>;
  readonly teamId?: string;
  readonly browser?: ReturnType<typeof openBrowser>;
  readonly readFile?: ReadFile;
}

const CONFIG = {
  ...{ auth: true, sign_in: null, workspaces: null, title: 'Cook', suggestions: [], max_upload: 1 },
  ...{ voice: false, connectors: false, memory: false, explore_enabled: false, examples_enabled: false },
};

/** The toasts, where a test can read them and press their buttons. */
function Toasts() {
  const { toasts } = Toast.useToastManager();
  const rows = toasts.map(({ id, title, actionProps }) =>
    createElement(
      'p',
      { key: id, role: 'log' },
      title,
      actionProps && createElement('button', { ...actionProps, type: 'button' }),
    ),
  );
  return createElement('div', {}, ...rows);
}

/** Renders a component of the chat page, with a conversation whose agent answers what the test gives. */
export async function openChatScreen(content: ReactNode, options: ChatScreenOptions = {}) {
  const { config, teamId, browser = openBrowser(), readFile = async () => new Blob(), ...rest } = options;
  const opened = openConversation(rest);
  const { agent, conversation, storage } = opened;
  const puts: FakePut[] = [];
  const put = (file: FilePut) =>
    new Promise<void>((arrive, fail) => {
      puts.push({ ...file, arrive, fail });
      file.signal.addEventListener('abort', () => fail(new Error('canceled')));
    });
  let count = 0;
  const createId = () => `${++count}`.padStart(8, '0');
  const drafts = createDrafts(storage);
  const uploads = createAttachments({ put, createId, typeOf: async () => '', storage, storageKey: 'attached' });
  const queue = createMessageQueue({ conversation, storage: createQueues(storage), createId });
  const target = createStore<number | undefined>(undefined);
  const added = createStore<string | undefined>(undefined);
  const gone: (string | undefined)[] = [];
  const chats = {
    list: createChatList(
      agent,
      () => 0,
      () => {},
    ),
    async go(chatId: string | undefined, at?: number) {
      gone.push(chatId);
      await conversation.open(chatId);
      target.set(at);
    },
  };
  const session = { ...createFixedSession('t'), hasEnded: createStore(false) };
  const context = { config: { ...CONFIG, ...config } as AgentConfig, api: agent, putFile: put, session, teamId };
  const around = (inside: ReactNode) => {
    const reading = jsx(FileReaderContext, { value: readFile, children: inside });
    const inChats = jsx(ChatsContext, { value: chats, children: reading });
    const inChat = jsx(OpenChatContext, {
      value: { conversation, drafts, uploads, queue, target, added },
      children: inChats,
    });
    const inAgent = jsx(AgentContext, { value: context, children: inChat });
    return jsxs(Toast.Provider, { timeout: 0, children: [inAgent, createElement(Toasts, { key: 'toasts' })] });
  };
  const screen = await openScreen(around(content), browser);
  /** Renders other content in the same place, e.g. once the test has said what the agent answers. */
  const showInside = (next: ReactNode) => screen.show(around(next));
  return { ...opened, ...screen, added, browser, chats, drafts, gone, puts, queue, target, showInside, uploads };
}
