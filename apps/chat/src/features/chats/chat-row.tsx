import type { ChatSummary } from '@berth/contract/agent';
import { Menu } from '@berth/ui';
import { Braces, Ellipsis, FileText, LoaderCircle, Pencil, Star, StarOff, Trash2 } from 'lucide-react';
import { type MouseEvent, memo } from 'react';
import { pageAddress } from '../../page/page-address.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface ChatRowProps {
  readonly chat: ChatSummary;
  readonly isOpen: boolean;
  readonly teamId: string | undefined;
  /** The tab index of the row's controls: only one row of the list is reachable by Tab. */
  readonly tabIndex: number;
  /** @param at the message to show, for a chat that a search found by its text */
  onOpen(chatId: string, at?: number): void;
  onRename(chat: ChatSummary): void;
  onFavorite(chat: ChatSummary): void;
  onDelete(chat: ChatSummary): void;
  onExport(chat: ChatSummary, format: 'markdown' | 'json'): void;
}

/** A row of the chat list: a link to the chat and a menu of actions. */
export const ChatRow = memo(function ChatRow(props: ChatRowProps) {
  const { chat, isOpen, teamId, tabIndex, onOpen, onRename, onFavorite, onDelete, onExport } = props;
  const { t } = useChatTexts();
  const title = chat.title || t('chats.untitled');
  const isFavorite = chat.favoritedAt !== null;
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onOpen(chat.id, chat.match?.seq);
  };
  return (
    <div
      className={`group flex items-center rounded-md ${chat.match ? 'h-14' : 'h-9 max-sm:h-11'} ${isOpen ? 'bg-hover' : 'hover:bg-hover'}`}
    >
      <a
        href={pageAddress({ chatId: chat.id, teamId })}
        tabIndex={tabIndex}
        dir="auto"
        title={title}
        aria-current={isOpen ? 'page' : undefined}
        onClick={open}
        className={`from-start min-w-0 flex-1 truncate px-2.5 ${chat.match ? 'leading-6' : 'leading-9 max-sm:leading-[2.75rem]'}`}
      >
        {title}
        {chat.match && <Excerpt pieces={chat.match.excerpt} />}
      </a>
      {isFavorite && <Star role="img" aria-label={t('chats.isFavorite')} className="size-3.5 fill-current text-warn" />}
      {chat.run === 'running' && (
        <LoaderCircle role="img" aria-label={t('chats.running')} className="size-3.5 animate-spin text-ink-soft" />
      )}
      <Menu
        trigger={
          <button
            type="button"
            tabIndex={tabIndex}
            aria-label={t('chats.more', { title })}
            className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft opacity-0 group-hover:opacity-100 focus-visible:opacity-100 data-popup-open:opacity-100 max-sm:size-10 max-sm:opacity-100"
          >
            <Ellipsis aria-hidden className="size-4" />
          </button>
        }
        items={[
          { label: t('chats.rename'), icon: Pencil, onChoose: () => onRename(chat) },
          {
            label: isFavorite ? t('chats.unfavorite') : t('chats.favorite'),
            icon: isFavorite ? StarOff : Star,
            onChoose: () => onFavorite(chat),
          },
          { label: t('chats.exportMarkdown'), icon: FileText, onChoose: () => onExport(chat, 'markdown') },
          { label: t('chats.exportJson'), icon: Braces, onChoose: () => onExport(chat, 'json') },
          { label: t('chats.delete'), icon: Trash2, onChoose: () => onDelete(chat) },
        ]}
      />
    </div>
  );
});

/** The text that a search found, with the matches marked. */
function Excerpt({ pieces }: { readonly pieces: NonNullable<ChatSummary['match']>['excerpt'] }) {
  return (
    <span dir="auto" className="block truncate text-xs text-ink-soft">
      {pieces.map(({ text, is_match: isMatch }, index) => {
        const key = `${index} ${text}`;
        return isMatch ? (
          <mark key={key} className="bg-accent-soft font-medium text-ink">
            {text}
          </mark>
        ) : (
          <span key={key}>{text}</span>
        );
      })}
    </span>
  );
}
