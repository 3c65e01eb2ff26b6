import type { ChatSummary, FileEntry } from '@berth/contract/agent';
import { CommandPalette, type PaletteItem, useTell } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { File, Folder, MessageSquare } from 'lucide-react';
import { useMemo } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { messageOf } from '../../api/message-of.ts';
import type { PageActions } from '../../page/page-actions.ts';
import { schedule } from '../../store/schedule.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useChats } from '../chats/chats-context.ts';
import { useFiles } from '../files/use-files.ts';
import { createLookUp, type Findings } from './look-up.ts';
import { useActionItems } from './use-action-items.ts';

/** The command palette: finds actions, chats and files by name. */
export function ChatPalette({ actions, onClose }: { readonly actions: PageActions; onClose(): void }) {
  const { api, config } = useAgent();
  const lookUp = useMemo(() => createLookUp(api, schedule), [api]);
  const found = useFoundItems(useStore(lookUp.state), actions);
  const { work, look } = useActionItems(actions);
  const items = [...work, ...found, ...look];
  return (
    <CommandPalette
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose()}
      onQuery={config.auth ? lookUp.search : () => undefined}
      // The palette returns the focus when it closes; an action that moves the focus must run after that.
      items={items.map((item) => ({ ...item, onChoose: () => setTimeout(item.onChoose) }))}
    />
  );
}

/** Returns palette items for the loaded chats and for the chats and files that the search found. */
export function useFoundItems(found: Findings, actions: PageActions): readonly PaletteItem[] {
  const { t } = useChatTexts();
  const { list, go } = useChats();
  const { browser } = useFiles();
  const { chats } = useStore(list.state);
  const tell = useTell();
  const isFound = new Set(found.chats.map(({ id }) => id));
  const toChat = (chat: ChatSummary): PaletteItem => ({
    ...{ value: `chat ${chat.id}`, label: chat.title || t('chats.untitled'), icon: MessageSquare },
    ...{
      hint: chat.match?.excerpt.map(({ text }) => text).join('') ?? t('palette.chat'),
      isFound: isFound.has(chat.id),
    },
    onChoose: () => void go(chat.id, chat.match?.seq).catch((error) => tell(messageOf(error))),
  });
  const toFile = (entry: FileEntry): PaletteItem => ({
    ...{ value: `file ${entry.path}`, label: entry.path, icon: entry.type === 'directory' ? Folder : File },
    ...{ hint: t(entry.type === 'directory' ? 'files.folder' : 'palette.file'), isFound: true },
    onChoose() {
      void browser.show(entry);
      actions.showFiles();
    },
  });
  return [
    ...found.chats.map(toChat),
    ...chats.filter(({ id }) => !isFound.has(id)).map(toChat),
    ...found.files.map(toFile),
  ];
}
