import { IconButton, Tabs } from '@berth/ui';
import { X } from 'lucide-react';
import { useRef } from 'react';
import { DrawerBackdrop } from '../components/drawer-backdrop.tsx';
import { useDrawer } from '../components/use-drawer.ts';
import { NARROW, useMediaQuery } from '../components/use-media-query.ts';
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
  const isDrawer = useMediaQuery(NARROW.files);
  const pane = useRef<HTMLDivElement>(null);
  useDrawer(pane, true, isDrawer);
  const role = isDrawer ? { role: 'dialog', 'aria-modal': true } : { role: 'complementary' };
  const frame = { ...role, 'aria-label': t('files.title') };
  return (
    <>
      {isDrawer && <DrawerBackdrop onClose={onClose} />}
      <div
        ref={pane}
        id="files"
        tabIndex={-1}
        {...frame}
        className="relative flex w-104 shrink-0 flex-col overflow-y-auto overscroll-contain border-s border-line bg-ground px-3 pt-[max(0.5rem,env(safe-area-inset-top))] pb-[env(safe-area-inset-bottom)] outline-none max-lg:fixed max-lg:inset-y-0 max-lg:end-0 max-lg:z-30 max-lg:shadow-xl max-sm:w-full xl:w-lg"
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
      </div>
    </>
  );
}
