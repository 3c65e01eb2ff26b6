import { Button, Dialog, IconButton, useTell } from '@berth/web';
import { Compass, Folder, Menu as MenuIcon, Plug, Share2, SquarePen } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { parsePageAddress } from '../state/page-address.ts';
import { messageOf } from '../state/turn/items.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { Announcer } from './chat/announcer.tsx';
import { Composer } from './chat/composer.tsx';
import { ConversationView } from './chat/conversation-view.tsx';
import { ChatSidebar } from './list/chat-sidebar.tsx';
import { usePage } from './page-context.ts';
import { ShareDialog } from './share/share-dialog.tsx';
import { SettingsMenu } from './shell/settings-menu.tsx';
import { WorkspaceSelect } from './shell/workspace-select.tsx';
import { useStore } from './use-store.ts';

// Not part of the first load.
const ConnectorsDialog = lazy(() =>
  import('./connectors/connectors-dialog.tsx').then(({ ConnectorsDialog }) => ({ default: ConnectorsDialog })),
);
const ToolsDialog = lazy(() =>
  import('./tools/tools-dialog.tsx').then(({ ToolsDialog }) => ({ default: ToolsDialog })),
);
const AgentsDialog = lazy(() =>
  import('./agents/agents-dialog.tsx').then(({ AgentsDialog }) => ({ default: AgentsDialog })),
);
const FilesPane = lazy(() => import('./files/files-pane.tsx').then(({ FilesPane }) => ({ default: FilesPane })));

export interface ChatPageProps {
  /** Signs in again, where the sign-in has ended. */
  onSignIn(): Promise<void>;
}

/** The chat, and beside it the chats there are. */
export function ChatPage({ onSignIn }: ChatPageProps) {
  const { t } = useChatTexts();
  const page = usePage();
  const { config, conversation, session, go } = page;
  const { chatId, items } = useStore(conversation.state);
  const hasEnded = useStore(session.hasEnded);
  const [isListOpen, setListOpen] = useState(false);
  const [dialog, setDialog] = useState<'share' | 'connectors' | 'tools' | 'agents' | undefined>();
  const [isFilesOpen, setFilesOpen] = useState(false);
  const tell = useTell();
  useEffect(() => {
    void conversation.reopen(parsePageAddress(location.search).chatId);
    const onPopState = () => void conversation.open(parsePageAddress(location.search).chatId);
    addEventListener('popstate', onPopState);
    return () => removeEventListener('popstate', onPopState);
  }, [conversation]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || document.querySelector('[role="dialog"], [role="menu"]'))
        return;
      void conversation.stop();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [conversation]);
  const canSignOut = config.auth && !(config.sign_in !== null && 'token' in config.sign_in);
  const signOut = () => void session.signOut().catch((error) => tell(messageOf(error)));
  const isSharable = config.auth && chatId !== undefined && items.length > 0;
  return (
    <div className="flex h-dvh overflow-hidden">
      <a
        href="#message"
        className="sr-only z-50 rounded-md bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:m-2"
      >
        {t('page.skip')}
      </a>
      {config.auth && (
        <aside
          id="chats"
          className={`flex w-64 shrink-0 flex-col border-e border-line bg-sunken max-md:fixed max-md:inset-y-0 max-md:start-0 max-md:z-30 max-md:w-72 max-md:shadow-xl ${isListOpen ? '' : 'max-md:hidden'}`}
        >
          <ChatSidebar onChosen={() => setListOpen(false)}>
            {config.workspaces !== null && <WorkspaceSelect />}
          </ChatSidebar>
        </aside>
      )}
      {isListOpen && (
        <button
          type="button"
          aria-label={t('parts.close')}
          className="fixed inset-0 z-20 bg-black/40 md:hidden"
          onClick={() => setListOpen(false)}
        />
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2">
          {config.auth && (
            <IconButton
              icon={MenuIcon}
              label={t('page.menu')}
              aria-expanded={isListOpen}
              aria-controls="chats"
              className="md:hidden"
              onClick={() => setListOpen(!isListOpen)}
            />
          )}
          <h1 dir="auto" title={config.title} className="min-w-0 flex-1 truncate px-2 font-semibold">
            {config.title}
          </h1>
          {!config.auth && items.length > 0 && (
            <Button onClick={() => void go(undefined)}>
              <SquarePen aria-hidden className="size-4" />
              {t('chats.new')}
            </Button>
          )}
          {isSharable && <IconButton icon={Share2} label={t('share.share')} onClick={() => setDialog('share')} />}
          {config.connectors && (
            <IconButton icon={Plug} label={t('connect.title')} onClick={() => setDialog('connectors')} />
          )}
          {config.explore_enabled && (
            <IconButton icon={Compass} label={t('agents.title')} onClick={() => setDialog('agents')} />
          )}
          {config.auth && (
            <IconButton
              icon={Folder}
              label={t('files.title')}
              aria-expanded={isFilesOpen}
              onClick={() => setFilesOpen(!isFilesOpen)}
            />
          )}
          <SettingsMenu
            onTools={config.auth ? () => setDialog('tools') : undefined}
            onSignOut={canSignOut ? signOut : undefined}
          />
        </header>
        <main id="main" className="flex min-h-0 flex-1 flex-col">
          <h2 className="sr-only">{t('page.conversation')}</h2>
          <ConversationView />
          <Announcer />
          <Composer />
        </main>
      </div>
      {dialog === 'share' && chatId !== undefined && (
        <ShareDialog chatId={chatId} onClose={() => setDialog(undefined)} />
      )}
      <Suspense>
        {isFilesOpen && <FilesPane onClose={() => setFilesOpen(false)} />}
        {dialog === 'connectors' && <ConnectorsDialog onClose={() => setDialog(undefined)} />}
        {dialog === 'tools' && <ToolsDialog onClose={() => setDialog(undefined)} />}
        {dialog === 'agents' && <AgentsDialog onClose={() => setDialog(undefined)} />}
      </Suspense>
      {hasEnded && (
        <Dialog title={t('sign.ended')} description={t('sign.endedText')} isOpen canClose={false} onClose={() => {}}>
          <Button look="primary" onClick={() => void onSignIn().catch((error) => tell(messageOf(error)))}>
            {t('sign.in')}
          </Button>
        </Dialog>
      )}
    </div>
  );
}
