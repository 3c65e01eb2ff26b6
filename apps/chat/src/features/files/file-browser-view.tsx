import type { FileEntry } from '@berth/contract/agent';
import { EmptyState, ErrorNote, Skeleton, useTell } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { FolderOpen } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useState } from 'react';
import { joinPath } from '../../api/file-path.ts';
import { messageOf } from '../../api/message-of.ts';
import { droppedFiles } from '../../components/dropped-files.ts';
import { FieldDialog } from '../../components/field-dialog.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { FilePreview } from './file-preview.tsx';
import type { FileActions } from './file-row.tsx';
import { FileRow } from './file-row.tsx';
import { FileToolbar } from './file-toolbar.tsx';
import { UploadList } from './upload-list.tsx';
import { useFiles } from './use-files.ts';

const ROW_PX = 48;

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
    <FieldDialog
      title={t('files.rename')}
      label={t('files.newPath')}
      hint={t('files.newPathHint')}
      action={t('chats.save')}
      value={moved.path}
      spellCheck={false}
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
      <VirtualList
        {...{ label: t('files.title'), rows: entries, isWhole: true }}
        keyOf={({ path }) => path}
        rowPx={() => ROW_PX}
        start={entries.findIndex(({ path }) => path === from)}
        className="max-h-[75dvh] overflow-y-auto overscroll-contain"
        draw={(entry, tabIndex) => <FileRow {...{ entry, tabIndex, ...actions }} isWithFolder={search !== ''} />}
      />
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

/** Uploads files to the open folder: files passed to `add`, and files dropped on or pasted into an element with `target`. */
function useFileDrop() {
  const { browser, add: upload } = useFiles();
  const [isDragged, setDragged] = useState(false);
  const tell = useTell();
  const addPaths = (files: readonly { readonly path: string; readonly file: File }[]) => {
    const { folder } = browser.state.get();
    upload(files.map(({ path, file }) => ({ path: joinPath(folder, path), file })));
  };
  // For a folder chosen with the picker, the browser gives the relative path of each file.
  const add = (files: readonly File[]) =>
    addPaths(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));
  return {
    isDragged,
    add,
    target: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setDragged(true);
      },
      onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
        if (!currentTarget.contains(relatedTarget as Node | null)) setDragged(false);
      },
      onDrop(event: DragEvent) {
        event.preventDefault();
        setDragged(false);
        droppedFiles(event.dataTransfer).then(addPaths, (error) => tell(messageOf(error)));
      },
      onPaste: ({ clipboardData: { files } }: ClipboardEvent) => add([...files]),
    },
  } as const;
}
