import type { FileEntry } from '@berth/contract/agent';
import { EmptyState, ErrorNote, Skeleton, useTell } from '@berth/web';
import { FolderOpen } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, useEffect, useState } from 'react';
import { droppedFiles } from '../../state/files/dropped-files.ts';
import { joinPath } from '../../state/files/file-path.ts';
import { messageOf } from '../../state/turn/items.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useStore } from '../use-store.ts';
import { FileList } from './file-list.tsx';
import { FilePreview } from './file-preview.tsx';
import { FileToolbar } from './file-toolbar.tsx';
import { PathDialog } from './path-dialog.tsx';
import { UploadList } from './upload-list.tsx';
import { useFiles } from './use-files.ts';

/** One folder of the workspace, or one file of it. Takes files that are dropped or pasted. */
export function FileBrowserView() {
  const { t } = useChatTexts();
  const { browser, uploads } = useFiles();
  const { folder, entries, search, phase, problem } = useStore(browser.state);
  const [shown, setShown] = useState<FileEntry | undefined>();
  const [moved, setMoved] = useState<FileEntry | undefined>();
  const [isDragged, setDragged] = useState(false);
  const tell = useTell();
  useEffect(() => void browser.refresh(), [browser]);

  const add = (files: readonly { readonly path: string; readonly file: File }[]) =>
    uploads.add(files.map(({ path, file }) => ({ path: joinPath(folder, path), file })));
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setDragged(false);
    droppedFiles(event.dataTransfer).then(add, (error) => tell(messageOf(error)));
  };
  const onPaste = ({ clipboardData: { files } }: ClipboardEvent) => add(toNamed(files));
  const remove = async ({ path, name }: FileEntry) => {
    try {
      const undo = await browser.remove(path);
      setShown(undefined);
      const onUndo = () => void undo().catch((error) => tell(messageOf(error)));
      tell(t('files.deleted', { name }), { label: t('chats.undo'), onUndo });
    } catch (error) {
      tell(messageOf(error));
    }
  };
  const open = (entry: FileEntry) => (entry.type === 'directory' ? void browser.open(entry.path) : setShown(entry));
  const actions = { onOpen: open, onMove: setMoved, onRemove: (entry: FileEntry) => void remove(entry) };
  const dialog = moved && (
    <PathDialog
      title={t('files.rename')}
      label={t('files.newPath')}
      hint={t('files.newPathHint')}
      action={t('chats.save')}
      value={moved.path}
      onSubmit={async (to) => {
        await browser.move(moved.path, to);
        setShown(undefined);
      }}
      onClose={() => setMoved(undefined)}
    />
  );
  if (shown) {
    return (
      <>
        <FilePreview entry={shown} {...actions} onBack={() => setShown(undefined)} />
        {dialog}
      </>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping and pasting; the button of the toolbar does the same
    <div
      className="relative flex min-h-[70dvh] flex-col gap-2 pb-4"
      onDragOver={(event) => {
        event.preventDefault();
        setDragged(event.dataTransfer.types.includes('Files'));
      }}
      onDragLeave={({ currentTarget, relatedTarget }) =>
        currentTarget.contains(relatedTarget as Node | null) || setDragged(false)
      }
      onDrop={onDrop}
      onPaste={onPaste}
    >
      <FileToolbar onFiles={(files) => add(toNamed(files))} />
      <UploadList />
      {phase === 'failed' && <ErrorNote error={problem} onRetry={() => void browser.refresh()} />}
      {phase === 'loading' && entries.length === 0 && <Skeleton rows={6} />}
      {phase === 'idle' && entries.length === 0 && search !== '' && (
        <p className="py-6 text-center text-ink-soft">{t('files.noneFound')}</p>
      )}
      {phase === 'idle' && entries.length === 0 && search === '' && (
        <EmptyState icon={FolderOpen} title={t('files.empty')} text={t('files.emptyText')} />
      )}
      <FileList entries={entries} isWithFolders={search !== ''} {...actions} />
      {isDragged && (
        <p className="pointer-events-none absolute inset-0 flex items-center justify-center rounded-lg bg-accent-soft p-4 text-center font-medium text-accent">
          {t('files.drop', { folder: folder || t('files.root') })}
        </p>
      )}
      {dialog}
    </div>
  );
}

const toNamed = (files: Iterable<File>) => [...files].map((file) => ({ path: file.name, file }));
