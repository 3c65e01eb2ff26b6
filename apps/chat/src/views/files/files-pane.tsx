import { IconButton, Tabs } from '@berth/web';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { TrashList } from '../trash/trash-list.tsx';
import { FileBrowserView } from './file-browser-view.tsx';

/** The workspace's files beside the conversation, over it on a phone, and what was deleted of them. */
export function FilesPane({ onClose }: { onClose(): void }) {
  const { t } = useChatTexts();
  const [tab, setTab] = useState<'files' | 'trash'>('files');
  return (
    <aside
      aria-label={t('files.title')}
      className="relative flex w-104 shrink-0 flex-col overflow-y-auto border-s border-line bg-ground px-3 pt-2 max-lg:fixed max-lg:inset-y-0 max-lg:end-0 max-lg:z-30 max-lg:shadow-xl max-sm:w-full xl:w-lg"
    >
      <IconButton icon={X} label={t('files.close')} onClick={onClose} className="absolute end-2 top-2" />
      <Tabs<'files' | 'trash'>
        label={t('files.title')}
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'files', label: t('files.title'), content: <FileBrowserView /> },
          { value: 'trash', label: t('files.trash'), content: <TrashList /> },
        ]}
      />
    </aside>
  );
}
