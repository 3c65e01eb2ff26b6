import type { FileEntry, FileKind } from '@berth/contract/agent';
import { IconButton, Menu, MiddleText } from '@berth/web';
import {
  Archive,
  Download,
  Ellipsis,
  File,
  FileCode,
  FileText,
  Film,
  Folder,
  Image,
  type LucideIcon,
  Music,
  Pencil,
  Presentation,
  Sheet,
  Trash2,
} from 'lucide-react';
import { Fragment, memo } from 'react';
import { parentOf } from '../../state/files/file-path.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { FileActions } from './file-actions.ts';
import { useDownload } from './use-download.ts';

const ICONS: Readonly<Record<FileKind, LucideIcon>> = {
  ...{ directory: Folder, image: Image, video: Film, audio: Music, pdf: FileText, document: FileText },
  ...{ spreadsheet: Sheet, presentation: Presentation, archive: Archive, code: FileCode, text: FileText, other: File },
};

export interface FileRowProps extends FileActions {
  readonly entry: FileEntry;
  readonly isWithFolder: boolean;
}

/** A file or folder: opened by its name; the rest behind its button. */
export const FileRow = memo(function FileRow({ entry, isWithFolder, onOpen, onMove, onRemove }: FileRowProps) {
  const { t, formats } = useChatTexts();
  const download = useDownload();
  const { name, path, type, size, modified } = entry;
  const Icon = ICONS[entry.kind];
  const facts = [
    ...(isWithFolder ? [parentOf(path) || t('files.root')] : []),
    type === 'directory' ? t('files.folder') : formats.bytes(size),
    formats.time(modified),
  ];
  return (
    <div className="flex h-12 items-center gap-1 rounded-md hover:bg-hover">
      <button
        type="button"
        onClick={() => onOpen(entry)}
        className="flex h-full min-w-0 flex-1 items-center gap-3 px-2 text-start"
      >
        <Icon aria-hidden className="size-5 shrink-0 text-ink-soft" strokeWidth={1.5} />
        <span className="flex min-w-0 flex-col">
          <MiddleText text={name} />
          <span className="truncate text-xs text-ink-soft tabular-nums">
            {facts.map((fact, index) => (
              <Fragment key={fact}>
                {index > 0 && ' · '}
                <bdi>{fact}</bdi>
              </Fragment>
            ))}
          </span>
        </span>
      </button>
      <Menu
        trigger={<IconButton icon={Ellipsis} label={t('files.more', { name })} />}
        items={[
          {
            label: type === 'directory' ? t('files.downloadZip') : t('files.download'),
            icon: Download,
            onChoose: () => download(entry),
          },
          { label: t('files.rename'), icon: Pencil, onChoose: () => onMove(entry) },
          { label: t('files.delete'), icon: Trash2, onChoose: () => onRemove(entry) },
        ]}
      />
    </div>
  );
});
