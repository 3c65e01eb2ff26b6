import type { ChatSummary } from '@berth/contract/agent';
import { Button, ErrorNote, Skeleton, saveFile, useTell } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { SquarePen } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { messageOf } from '../../api/message-of.ts';
import { FieldDialog } from '../../components/field-dialog.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { NARROW } from '../../components/use-media-query.ts';
import { VirtualList } from '../../components/virtual-list.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useOpenChat } from '../conversation/state/open-chat-context.ts';
import { ChatRow } from './chat-row.tsx';
import { useChats } from './chats-context.ts';

export interface ChatSidebarProps {
  /** Called when a chat was chosen, so that a phone can close the list. */
  onChosen(): void;
  readonly children?: ReactNode;
}

/** Row heights of {@link ChatRow}; taller on touch screens. */
const ROW_PX = 36;
const PHONE_ROW_PX = 44;
/** A row with an excerpt. */
const FOUND_ROW_PX = 56;
/** Number of rows before the end of the loaded list at which the next page is requested. */
const AHEAD = 20;

/** The list of the person's chats; pages load as the person scrolls. */
export function ChatSidebar({ onChosen, children }: ChatSidebarProps) {
  const { t } = useChatTexts();
  const { list, go } = useChats();
  const { conversation } = useOpenChat();
  const { api, teamId } = useAgent();
  const { chats, search, phase, problem, hasMore } = useStore(list.state);
  const { chatId } = useStore(conversation.state);
  const tell = useTell();
  const [renamed, setRenamed] = useState<ChatSummary | undefined>();
  const onLast = useCallback(
    (index: number) => {
      if (hasMore && index > chats.length - AHEAD) void list.more();
    },
    [hasMore, chats.length, list],
  );
  useEffect(() => void list.refresh(), [list]);

  const attempt = useCallback((work: Promise<unknown>) => void work.catch((error) => tell(messageOf(error))), [tell]);
  const open = (id: string | undefined, at?: number) => {
    onChosen();
    attempt(go(id, at));
  };
  const save = async ({ id, title }: ChatSummary, format: 'markdown' | 'json') => {
    const response = await api.send(`/chats/${encodeURIComponent(id)}/export?format=${format}`);
    saveFile(`${title || t('chats.untitled')}.${format === 'json' ? 'json' : 'md'}`, await response.blob());
  };
  const remove = async (chat: ChatSummary) => {
    const undo = await list.remove(chat.id);
    if (conversation.state.get().chatId === chat.id) void go(undefined);
    tell(t('chats.deleted', { title: chat.title || t('chats.untitled') }), {
      label: t('chats.undo'),
      onUndo: () => attempt(undo()),
    });
  };
  const hasExcerpts = chats.some(({ match }) => match);
  return (
    <nav aria-label={t('page.menu')} className="flex min-h-0 flex-1 flex-col gap-2 p-2">
      {children}
      <Button className="w-full" onClick={() => open(undefined)}>
        <SquarePen aria-hidden className="size-4" />
        {t('chats.new')}
      </Button>
      <SearchField label={t('chats.search')} search={search} onSearch={list.search} />
      {phase === 'failed' && <ErrorNote error={problem ?? t('chats.failed')} onRetry={() => void list.refresh()} />}
      <VirtualList
        key={hasExcerpts ? 'found' : 'all'}
        {...{ label: t('page.menu'), rows: chats, onLast }}
        keyOf={({ id }) => id}
        rowPx={() => (hasExcerpts ? FOUND_ROW_PX : matchMedia(NARROW.phone).matches ? PHONE_ROW_PX : ROW_PX)}
        className="min-h-0 flex-1 overflow-y-auto"
        draw={(chat, tabIndex) => (
          <ChatRow
            {...{ chat, teamId, tabIndex, isOpen: chat.id === chatId, onOpen: open, onRename: setRenamed }}
            onFavorite={(one) => attempt(list.setFavorite(one.id, one.favoritedAt === null))}
            onDelete={(one) => attempt(remove(one))}
            onExport={(one, format) => attempt(save(one, format))}
          />
        )}
      >
        {phase === 'loading' && chats.length === 0 && <Skeleton shape="list" rows={6} />}
        {phase === 'idle' && chats.length === 0 && (
          <p className="px-2 py-6 text-center text-ink-soft">
            {search === '' ? t('chats.none') : t('chats.noneFound')}
          </p>
        )}
      </VirtualList>
      {renamed && (
        <FieldDialog
          title={t('chats.renameTitle')}
          label={t('chats.name')}
          action={t('chats.save')}
          value={renamed.title}
          hasCancel
          onSubmit={(title) => list.rename(renamed.id, title)}
          onClose={() => setRenamed(undefined)}
        />
      )}
    </nav>
  );
}
