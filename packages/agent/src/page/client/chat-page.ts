import type { ChatSummary } from '@berth/contract/agent';
import type { Api } from './api.ts';
import { createChatList } from './chat/chat-list.ts';
import { createComposer } from './chat/composer.ts';
import { createConversation } from './chat/conversation.ts';
import { openShareDialog } from './chat/share-dialog.ts';
import { openConnectorsDialog } from './connectors/connectors-dialog.ts';
import { element } from './element.ts';
import type { Media } from './media.ts';
import { pageAddress, parsePageAddress } from './page-address.ts';
import type { PageConfig } from './page-config.ts';
import type { Session } from './sign-in/session.ts';
import { uploadFile } from './upload-file.ts';
import { createWorkspaceSwitch } from './workspace-switch.ts';

export interface ChatPageOptions {
  readonly api: Api;
  readonly media: Media;
  readonly session: Session;
  readonly config: PageConfig;
  /** The team that the person works in; undefined for their personal workspace. */
  readonly teamId: string | undefined;
}

const MAX_UPLOAD_MIB = 512;

/** The chat, and beside it the chats there are. */
export async function showChatPage(options: ChatPageOptions): Promise<HTMLElement> {
  const { api, media, session, config, teamId } = options;
  const live = element('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  const announce = (text: string) => {
    live.textContent = text;
  };
  const report = (error: unknown) => {
    problem.textContent = error instanceof Error ? error.message : 'That did not work.';
    problem.hidden = false;
  };
  const problem = element('p', { class: 'callout error', role: 'alert', hidden: true });

  const welcome = () =>
    element(
      'section',
      { class: 'welcome' },
      element('h2', { dir: 'auto' }, config.title),
      config.description !== undefined && element('p', { dir: 'auto' }, config.description),
      element(
        'div',
        { class: 'row' },
        ...(config.suggestions ?? []).map((text) =>
          element('button', { type: 'button', dir: 'auto', onClick: () => conversation.send(text, []) }, text),
        ),
      ),
    );

  const conversation = createConversation({
    ...{ api, media, welcome, announce },
    isStored: config.auth,
    onRunning: (isRunning) => composer.setRunning(isRunning),
    onChange() {
      const id = conversation.chatId;
      share.hidden = id === undefined || !config.auth;
      history.replaceState(null, '', pageAddress({ chatId: config.auth ? id : undefined, teamId }));
      if (config.auth) list.refresh(id).catch(report);
    },
  });
  const composer = createComposer({
    send: (text, attachments) => void conversation.send(text, attachments),
    stop: () => void conversation.stop().catch(report),
    upload: config.auth ? (file) => uploadFile(api, file, config.max_upload ?? MAX_UPLOAD_MIB) : undefined,
  });
  const open = async (chatId: string | undefined) => {
    problem.hidden = true;
    side.classList.remove('open');
    menu.setAttribute('aria-expanded', 'false');
    try {
      await conversation.open(chatId);
      announce(chatId === undefined ? 'A new chat.' : 'The chat is open.');
    } catch (error) {
      report(error);
    }
    const id = conversation.chatId;
    share.hidden = id === undefined;
    const address = pageAddress({ chatId: id, teamId });
    if (location.pathname + location.search !== address) history.pushState(null, '', address);
    if (config.auth) await list.refresh(id).catch(report);
    composer.focus();
  };
  const remove = async (chat: ChatSummary) => {
    if (!confirm(`Delete “${chat.title}”? It stays in the trash for 30 days.`)) return;
    try {
      await api.send(`/chats/${encodeURIComponent(chat.id)}`, { method: 'DELETE' });
      if (conversation.chatId === chat.id) await open(undefined);
      else await list.refresh(conversation.chatId);
    } catch (error) {
      report(error);
    }
  };
  const list = createChatList({ api, open: (chatId) => void open(chatId), remove });

  const share = element(
    'button',
    {
      type: 'button',
      class: 'quiet',
      hidden: true,
      onClick() {
        if (conversation.chatId !== undefined) openShareDialog(api, conversation.chatId);
      },
    },
    'Share',
  );
  const connectors = element(
    'button',
    { type: 'button', class: 'quiet', hidden: config.connectors !== true, onClick: () => openConnectorsDialog(api) },
    'Connectors',
  );
  const signOut = element(
    'button',
    {
      type: 'button',
      class: 'quiet',
      hidden: !config.auth || (config.sign_in != null && 'token' in config.sign_in),
      onClick: () => session.signOut().catch(report),
    },
    'Sign out',
  );
  const workspaces = config.auth && config.workspaces ? createWorkspaceSwitch({ api, teamId, report }) : undefined;
  const fresh = element(
    'button',
    { type: 'button', class: 'quiet', hidden: config.auth, onClick: () => open(undefined) },
    'New chat',
  );
  const menu: HTMLButtonElement = element(
    'button',
    {
      type: 'button',
      class: 'quiet menu',
      hidden: !config.auth,
      'aria-expanded': 'false',
      'aria-controls': 'side',
      'aria-label': 'Chats',
      onClick() {
        menu.setAttribute('aria-expanded', String(side.classList.toggle('open')));
      },
    },
    '☰',
  );
  const side = element('aside', { id: 'side', hidden: !config.auth }, workspaces, list.node);

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing && !document.querySelector('dialog[open]'))
      void conversation.stop().catch(report);
  });
  addEventListener('popstate', () => void open(parsePageAddress(location.search).chatId));

  const page = element(
    'div',
    { class: 'page' },
    element('a', { class: 'skip', href: '#message' }, 'Skip to the message field'),
    element('header', {}, menu, element('h1', { dir: 'auto' }, config.title), fresh, connectors, share, signOut),
    side,
    element(
      'main',
      { id: 'main' },
      problem,
      element('h2', { class: 'unseen' }, 'Conversation'),
      conversation.node,
      live,
      composer.node,
    ),
  );
  try {
    await conversation.reopen(parsePageAddress(location.search).chatId);
    share.hidden = conversation.chatId === undefined || !config.auth;
    if (config.auth) await list.refresh(conversation.chatId);
  } catch (error) {
    report(error);
  }
  return page;
}
