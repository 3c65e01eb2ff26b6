import { IconButton, Menu } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { ArrowDownNarrowWide, ChevronRight, FileUp, FolderPlus, FolderUp, Terminal, Upload } from 'lucide-react';
import { type ChangeEvent, useRef, useState } from 'react';
import { crumbsOf, fileUrl, joinPath } from '../../api/file-path.ts';
import { useAgentCall } from '../../api/use-agent-call.ts';
import { FieldDialog } from '../../components/field-dialog.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useCopy } from '../../components/use-copy.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { FileOrder } from './file-browser.ts';
import { useFiles } from './use-files.ts';

const ORDERS: readonly FileOrder[] = ['name', 'modified', 'size'];

/** The path of the open folder and the actions in it: search, sort, new folder, upload. */
export function FileToolbar({ onFiles }: { onFiles(files: FileList): void }) {
  const { t } = useChatTexts();
  const { browser } = useFiles();
  const { order, folder, search } = useStore(browser.state);
  const [isMaking, setMaking] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const folderPicker = useRef<HTMLInputElement>(null);
  const { toCommand } = useAgentCall();
  const copy = useCopy();
  const command = () =>
    toCommand({ method: 'PUT', path: fileUrl(joinPath(folder, 'report.txt')), upload: 'report.txt' });
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    if (target.files) onFiles(target.files);
    target.value = '';
  };
  return (
    <>
      <div className="flex items-center gap-1">
        <SearchField {...{ label: t('files.search'), search, onSearch: browser.search }} className="min-w-0 flex-1" />
        <Menu
          trigger={<IconButton icon={ArrowDownNarrowWide} label={t('files.order')} />}
          items={ORDERS.map((one) => ({
            label: t(`files.order.${one}`),
            isChosen: one === order,
            onChoose: () => void browser.sort(one),
          }))}
        />
        <IconButton icon={FolderPlus} label={t('files.newFolder')} onClick={() => setMaking(true)} />
        <Menu
          trigger={<IconButton icon={Upload} label={t('files.upload')} />}
          items={[
            { label: t('files.choose'), icon: FileUp, onChoose: () => picker.current?.click() },
            { label: t('files.chooseFolder'), icon: FolderUp, onChoose: () => folderPicker.current?.click() },
            { label: t('parts.copyCurl'), icon: Terminal, onChoose: () => copy(command()) },
          ]}
        />
        <input ref={picker} type="file" multiple hidden aria-label={t('files.choose')} onChange={take} />
        <input
          ref={folderPicker}
          type="file"
          {...{ webkitdirectory: '' }}
          hidden
          aria-label={t('files.chooseFolder')}
          onChange={take}
        />
      </div>
      <Crumbs />
      {isMaking && (
        <FieldDialog
          title={t('files.newFolder')}
          label={t('files.folderName')}
          action={t('files.make')}
          spellCheck={false}
          onSubmit={(name) => browser.makeFolder(name)}
          onClose={() => setMaking(false)}
        />
      )}
    </>
  );
}

function Crumbs() {
  const { t } = useChatTexts();
  const { browser } = useFiles();
  const { folder, search } = useStore(browser.state);
  if (folder === '' || search !== '') return null;
  return (
    <nav aria-label={t('files.path')} className="flex flex-wrap items-center gap-0.5 text-sm">
      {[{ name: t('files.root'), path: '' }, ...crumbsOf(folder)].map(({ name, path }) => (
        <span key={path} className="inline-flex max-w-full items-center gap-0.5">
          {path !== '' && <ChevronRight aria-hidden className="size-3.5 text-ink-soft rtl:-scale-x-100" />}
          <button
            type="button"
            dir="auto"
            title={name}
            aria-current={path === folder ? 'page' : undefined}
            onClick={() => void browser.open(path)}
            className="min-h-7 max-w-48 truncate rounded px-1.5 text-ink-soft hover:bg-hover hover:text-ink aria-[current]:text-ink"
          >
            {name}
          </button>
        </span>
      ))}
    </nav>
  );
}
