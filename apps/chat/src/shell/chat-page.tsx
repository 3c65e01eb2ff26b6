import { Button, Dialog, useTell } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useAgent } from '../api/agent-context.ts';
import { messageOf } from '../api/message-of.ts';
import { Drawer } from '../components/drawer.tsx';
import { NARROW } from '../components/use-media-query.ts';
import { ArtifactsContext } from '../features/artifacts/artifacts-context.ts';
import { useArtifactPane } from '../features/artifacts/use-artifact-pane.ts';
import { ChatSidebar } from '../features/chats/chat-sidebar.tsx';
import { useChats } from '../features/chats/chats-context.ts';
import { answerParts } from '../features/conversation/state/items.ts';
import { useOpenChat } from '../features/conversation/state/open-chat-context.ts';
import { Announcer } from '../features/conversation/views/announcer.tsx';
import { Composer } from '../features/conversation/views/composer.tsx';
import { ConversationView } from '../features/conversation/views/conversation-view.tsx';
import { readPlainKeys } from '../features/keys/page-keys.ts';
import { useEscape, usePageKeys } from '../features/keys/use-page-keys.ts';
import { SignedInAs } from '../features/sign-in/signed-in-as.tsx';
import { WorkspaceSelect } from '../features/workspaces/workspace-select.tsx';
import type { FilesTab, PageActions, PageDialog } from '../page/page-actions.ts';
import { parsePageAddress } from '../page/page-address.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { PageDialogs } from './page-dialogs.tsx';
import { PageHeader } from './page-header.tsx';
import { useVisibleArea } from './visible-area.ts';

// Not part of the first load.
const ArtifactPane = lazy(async () => ({
  default: (await import('../features/artifacts/artifact-pane.tsx')).ArtifactPane,
}));
const FilesPane = lazy(async () => ({ default: (await import('./files-pane.tsx')).FilesPane }));

export interface ChatPageProps {
  /** Signs in again after the session expired. */
  onSignIn(): Promise<void>;
}

/** The chat page: the conversation, with the list of chats beside it. */
export function ChatPage({ onSignIn }: ChatPageProps) {
  const { t } = useChatTexts();
  const { config, session } = useAgent();
  const { go, list } = useChats();
  const { chats } = useStore(list.state);
  const { conversation, added } = useOpenChat();
  const { chatId, items, phase } = useStore(conversation.state);
  const chatTitle = chats.find(({ id }) => id === chatId)?.title;
  useEffect(() => {
    document.title = chatTitle ? `${chatTitle} · ${config.title}` : config.title;
  }, [chatTitle, config]);
  const hasEnded = useStore(session.hasEnded);
  const [isListOpen, setListOpen] = useState(false);
  const [dialog, setDialog] = useState<PageDialog | undefined>();
  const [filesTab, setFilesTab] = useState<FilesTab | undefined>();
  const answers = useMemo(() => answerParts(items), [items]);
  const { opened, artifacts, close: closeArtifact } = useArtifactPane(answers, () => setFilesTab(undefined));
  const showFiles = (tab: FilesTab | undefined) => {
    closeArtifact();
    setFilesTab(tab);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another chat has other artifacts
  useEffect(closeArtifact, [chatId]);
  const [arePlainKeysOn, setPlainKeys] = useState(() => readPlainKeys(localStorage));
  const tell = useTell();
  useVisibleArea();
  useEffect(() => {
    void conversation.reopen(parsePageAddress(location.search).chatId);
    const onPopState = () => void conversation.open(parsePageAddress(location.search).chatId);
    addEventListener('popstate', onPopState);
    return () => removeEventListener('popstate', onPopState);
  }, [conversation]);

  const attempt = (work: Promise<unknown>) => void work.catch((error) => tell(messageOf(error)));
  const write = () => document.getElementById('message')?.focus();
  const canSignOut = config.auth && !(config.sign_in !== null && 'token' in config.sign_in);
  const actions: PageActions = {
    open: setDialog,
    showFiles: () => showFiles('files'),
    toggleFiles: (tab) => showFiles(filesTab === tab ? undefined : tab),
    newChat() {
      setListOpen(false);
      attempt(go(undefined));
      write();
    },
    write,
    canShare: config.auth && chatId !== undefined && items.length > 0,
    signOut: canSignOut ? () => attempt(session.signOut()) : undefined,
  };
  usePageKeys(actions, config.auth, arePlainKeysOn);
  const isPaneOpen = filesTab !== undefined || opened !== undefined;
  useEscape(({ target }) => {
    const isInPane = (target as HTMLElement).closest?.('#files, #artifact') != null;
    if (isListOpen) setListOpen(false);
    else if (isPaneOpen && (isInPane || phase !== 'running')) showFiles(undefined);
    else void conversation.stop();
  });
  return (
    <div className="flex h-[var(--visible-height,100dvh)] [transform:var(--visible-shift,none)] overflow-hidden">
      <a
        href="#message"
        className="sr-only z-50 rounded-md bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:m-2"
      >
        {t('page.skip')}
      </a>
      {config.auth && (
        <Drawer
          {...{ id: 'chats', label: t('page.menu'), covers: NARROW.list, isOpen: isListOpen }}
          onClose={() => setListOpen(false)}
          className={`w-64 border-e border-line bg-sunken pt-[env(safe-area-inset-top)] max-md:fixed max-md:inset-y-0 max-md:start-0 max-md:z-30 max-md:w-[min(20rem,85vw)] max-md:shadow-xl ${isListOpen ? '' : 'max-md:hidden'}`}
        >
          <ChatSidebar onChosen={() => setListOpen(false)}>
            {config.workspaces !== null && <WorkspaceSelect />}
          </ChatSidebar>
          <SignedInAs onSignOut={actions.signOut} />
        </Drawer>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <PageHeader
          {...{ actions, isListOpen }}
          areFilesOpen={filesTab !== undefined}
          onList={() => setListOpen(!isListOpen)}
        />
        <main id="main" className="flex min-h-0 flex-1 flex-col">
          <h2 className="sr-only">{t('page.conversation')}</h2>
          <ArtifactsContext value={artifacts}>
            <ConversationView />
          </ArtifactsContext>
          <Announcer />
          <Composer />
        </main>
      </div>
      <Suspense>
        {filesTab !== undefined && (
          <FilesPane tab={filesTab} onTab={setFilesTab} onClose={() => setFilesTab(undefined)} />
        )}
        {opened && (
          <ArtifactPane
            key={opened.key + opened.code}
            {...{ opened, answers }}
            onFix={(text) => {
              closeArtifact();
              added.set(text);
            }}
            onClose={closeArtifact}
          />
        )}
      </Suspense>
      <PageDialogs
        {...{ dialog, chatId, actions, arePlainKeysOn }}
        onPlainKeys={setPlainKeys}
        onClose={() => setDialog(undefined)}
      />
      {hasEnded && (
        <Dialog title={t('sign.ended')} description={t('sign.endedText')} isOpen canClose={false} onClose={() => {}}>
          <Button look="primary" onClick={() => attempt(onSignIn())}>
            {t('sign.in')}
          </Button>
        </Dialog>
      )}
    </div>
  );
}
