import type { ChatSummary } from '@berth/contract/agent';
import { Button, ErrorNote, INPUT_CLASS, Skeleton, useTell } from '@berth/ui';
import { useVirtualizer } from '@tanstack/react-virtual';
import { SquarePen } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { messageOf } from '../../api/message-of.ts';
import { useRoving } from '../../components/use-roving.ts';
import { useStore } from '../../store/use-store.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useOpenChat } from '../conversation/state/open-chat-context.ts';
import { ChatRow } from './chat-row.tsx';
import { useChats } from './chats-context.ts';
import { RenameDialog } from './rename-dialog.tsx';

export interface ChatSidebarProps {
  /** Called when a chat was chosen, so that a phone can close the list. */
  onChosen(): void;
  readonly children?: ReactNode;
}

/** Row heights of {@link ChatRow}; taller on touch screens. */
const ROW_PIXELS = 36;
const PHONE_ROW_PIXELS = 44;
/** Number of rows before the end of the loaded list at which the next page is requested. */
const AHEAD = 20;
const SEARCH_PAUSE_MS = 250;

/** A list of any number of chats: only visible rows are rendered, and pages load as the person scrolls. */
export function ChatSidebar({ onChosen, children }: ChatSidebarProps) {
  const { t } = useChatTexts();
  const { list, go } = useChats();
  const { conversation } = useOpenChat();
  const { teamId } = useAgent();
  const { chats, search, phase, problem, hasMore } = useStore(list.state);
  const { chatId } = useStore(conversation.state);
  const tell = useTell();
  const [renamed, setRenamed] = useState<ChatSummary | undefined>();
  const scroller = useRef<HTMLDivElement>(null);
  const { tabIndex, rangeExtractor, list: roving } = useRoving(chats.length);
  const rows = useVirtualizer({
    count: chats.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (matchMedia('(width < 40rem)').matches ? PHONE_ROW_PIXELS : ROW_PIXELS),
    getItemKey: (index) => chats[index]?.id ?? index,
    overscan: 8,
    rangeExtractor,
  });
  const shown = rows.getVirtualItems();
  const last = rows.range?.endIndex ?? 0;
  useEffect(() => {
    if (hasMore && last > chats.length - AHEAD) void list.more();
  }, [hasMore, last, chats.length, list]);
  useEffect(() => void list.refresh(), [list]);

  const attempt = useCallback((work: Promise<unknown>) => void work.catch((error) => tell(messageOf(error))), [tell]);
  const open = (id: string | undefined) => {
    onChosen();
    attempt(go(id));
  };
  const remove = async (chat: ChatSummary) => {
    const undo = await list.remove(chat.id);
    if (conversation.state.get().chatId === chat.id) void go(undefined);
    tell(t('chats.deleted', { title: chat.title || t('chats.untitled') }), {
      label: t('chats.undo'),
      onUndo: () => attempt(undo()),
    });
  };
  return (
    <nav aria-label={t('page.menu')} className="flex min-h-0 flex-1 flex-col gap-2 p-2">
      {children}
      <Button className="w-full" onClick={() => open(undefined)}>
        <SquarePen aria-hidden className="size-4" />
        {t('chats.new')}
      </Button>
      <SearchField onSearch={list.search} />
      {phase === 'failed' && <ErrorNote error={problem ?? t('chats.failed')} onRetry={() => void list.refresh()} />}
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        {phase === 'loading' && chats.length === 0 && <Skeleton rows={6} />}
        {phase === 'idle' && chats.length === 0 && (
          <p className="px-2 py-6 text-center text-ink-soft">
            {search === '' ? t('chats.none') : t('chats.noneFound')}
          </p>
        )}
        <ul aria-label={t('page.menu')} className="relative" style={{ height: rows.getTotalSize() }} {...roving}>
          {shown.map(({ index, key, start, size }) => {
            const chat = chats[index];
            return chat ? (
              <li
                key={key}
                data-row={index}
                className="absolute inset-x-0 top-0"
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                <ChatRow
                  {...{
                    chat,
                    teamId,
                    tabIndex: tabIndex(index),
                    isOpen: chat.id === chatId,
                    onOpen: open,
                    onRename: setRenamed,
                  }}
                  onFavorite={(one) => attempt(list.setFavorite(one.id, one.favoritedAt === null))}
                  onDelete={(one) => attempt(remove(one))}
                />
              </li>
            ) : null;
          })}
        </ul>
      </div>
      {renamed && <RenameDialog chat={renamed} onClose={() => setRenamed(undefined)} />}
    </nav>
  );
}

function SearchField({ onSearch }: { onSearch(text: string): Promise<void> }) {
  const { t } = useChatTexts();
  const [text, setText] = useState('');
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const timer = setTimeout(() => void onSearch(text), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onSearch]);
  return (
    <input
      type="search"
      dir="auto"
      aria-label={t('chats.search')}
      placeholder={t('chats.search')}
      value={text}
      onChange={(event) => setText(event.target.value)}
      className={INPUT_CLASS}
    />
  );
}
