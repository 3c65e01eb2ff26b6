import { IconButton, Tabs } from '@berth/ui';
import { X } from 'lucide-react';
import { Drawer } from '../components/drawer.tsx';
import { NARROW } from '../components/use-media-query.ts';
import { FileBrowserView } from '../features/files/file-browser-view.tsx';
import { TrashList } from '../features/trash/trash-list.tsx';
import type { FilesTab } from '../page/page-actions.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';

export interface FilesPaneProps {
  readonly tab: FilesTab;
  onTab(tab: FilesTab): void;
  onClose(): void;
}

/** The pane with the workspace's files and the trash, beside the conversation; on phones it covers the conversation. */
export function FilesPane({ tab, onTab, onClose }: FilesPaneProps) {
  const { t } = useChatTexts();
  return (
    <Drawer
      {...{ id: 'files', label: t('files.title'), covers: NARROW.files, onClose }}
      isOpen
      takesFocus
      className="relative w-104 overflow-y-auto overscroll-contain border-s border-line bg-ground px-3 pt-[max(0.5rem,env(safe-area-inset-top))] max-lg:fixed max-lg:inset-y-0 max-lg:end-0 max-lg:z-30 max-lg:shadow-xl max-sm:w-full xl:w-lg"
    >
      <IconButton
        icon={X}
        label={t('files.close')}
        onClick={onClose}
        className="absolute end-2 top-[max(0.5rem,env(safe-area-inset-top))] z-10"
      />
      <Tabs<FilesTab>
        label={t('files.title')}
        value={tab}
        onChange={onTab}
        tabs={[
          { value: 'files', label: t('files.title'), content: <FileBrowserView /> },
          { value: 'trash', label: t('files.trash'), content: <TrashList /> },
        ]}
      />
    </Drawer>
  );
}
