import type { FileEntry } from '@berth/contract/agent';
import { EmptyState, ErrorNote, Skeleton, useTell } from '@berth/ui';
import { FolderOpen } from 'lucide-react';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { messageOf } from '../../api/message-of.ts';
import { useStore } from '../../store/use-store.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { FileActions } from './file-actions.ts';
import { FileList } from './file-list.tsx';
import { FilePreview } from './file-preview.tsx';
import { FileToolbar } from './file-toolbar.tsx';
import { PathDialog } from './path-dialog.tsx';
import { UploadList } from './upload-list.tsx';
import { useFileDrop } from './use-file-drop.ts';
import { useFiles } from './use-files.ts';

/** A view of one folder or one file of the workspace. Uploads dropped and pasted files. */
export function FileBrowserView() {
  const { t } = useChatTexts();
  const { browser } = useFiles();
  const { folder, entries, search, phase, problem, shown } = useStore(browser.state);
  const [from, setFrom] = useState<string | undefined>();
  const [moved, setMoved] = useState<FileEntry | undefined>();
  const { isDragged, add, target } = useFileDrop();
  const tell = useTell();
  useEffect(() => void browser.refresh(), [browser]);

  const attempt = (work: Promise<unknown>) => void work.catch((error) => tell(messageOf(error)));
  const remove = async ({ path, name }: FileEntry) => {
    const undo = await browser.remove(path);
    tell(t('files.deleted', { name }), { label: t('chats.undo'), onUndo: () => attempt(undo()) });
  };
  const actions: FileActions = {
    onOpen: (entry) => void browser.show(entry),
    onMove: setMoved,
    onRemove: (entry) => attempt(remove(entry)),
  };
  const leavePreview = () => {
    setFrom(shown?.path);
    void browser.show(undefined);
  };
  const onPreviewKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.stopPropagation();
    leavePreview();
  };
  const dialog = moved && (
    <PathDialog
      title={t('files.rename')}
      label={t('files.newPath')}
      hint={t('files.newPathHint')}
      action={t('chats.save')}
      value={moved.path}
      onSubmit={(to) => browser.move(moved.path, to)}
      onClose={() => setMoved(undefined)}
    />
  );
  if (shown) {
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: the button that goes back does the same
      <div ref={focusOn} tabIndex={-1} className="outline-none" onKeyDown={onPreviewKey}>
        <FilePreview entry={shown} {...actions} onBack={leavePreview} />
        {dialog}
      </div>
    );
  }
  const isEmpty = entries.length === 0;
  return (
    <div className="relative flex min-h-[70dvh] flex-col gap-2 pb-4" {...target}>
      <FileToolbar onFiles={(files) => add([...files])} />
      <UploadList />
      {phase === 'failed' && <ErrorNote error={problem} onRetry={() => void browser.refresh()} />}
      {phase === 'loading' && isEmpty && <Skeleton rows={6} />}
      {phase === 'idle' && isEmpty && search !== '' && (
        <p role="status" className="py-6 text-center text-ink-soft">
          {t('files.noneFound')}
        </p>
      )}
      {phase === 'idle' && isEmpty && search === '' && (
        <EmptyState icon={FolderOpen} title={t('files.empty')} text={t('files.emptyText')} />
      )}
      <FileList entries={entries} isWithFolders={search !== ''} from={from} {...actions} />
      {isDragged && (
        <p className="pointer-events-none absolute inset-0 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-accent-soft p-4 text-center font-medium text-accent">
          {t('files.drop', { folder: folder || t('files.root') })}
        </p>
      )}
      {dialog}
    </div>
  );
}

/** Defined once: a new function on each render would move the focus again. */
const focusOn = (element: HTMLElement | null) => element?.focus({ preventScroll: true });
