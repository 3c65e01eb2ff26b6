import type { FileEntry, FileKind } from '@berth/contract/agent';
import { IconButton, Menu, MiddleText, useTell } from '@berth/ui';
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
  Paperclip,
  Pencil,
  Presentation,
  Sheet,
  Terminal,
  Trash2,
} from 'lucide-react';
import { Fragment, memo } from 'react';
import { fileUrl, parentOf } from '../../api/file-path.ts';
import { useAgentCall } from '../../api/use-agent-call.ts';
import { useCopy } from '../../components/use-copy.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useOpenChat } from '../conversation/state/open-chat-context.ts';
import { MAX_THUMBNAIL_BYTES, Thumbnail } from '../media/thumbnail.tsx';
import { useDownload } from './use-download.ts';

const ICONS: Readonly<Record<FileKind, LucideIcon>> = {
  ...{ directory: Folder, image: Image, video: Film, audio: Music, pdf: FileText, document: FileText },
  ...{ spreadsheet: Sheet, presentation: Presentation, archive: Archive, code: FileCode, text: FileText, other: File },
};

export interface FileRowProps extends FileActions {
  readonly entry: FileEntry;
  readonly isWithFolder: boolean;
  /** The tab index of the row's controls: only one row of the list is reachable by Tab. */
  readonly tabIndex: number;
}

/** A row for a file or folder: a button that opens it and a menu of actions. */
export const FileRow = memo(function FileRow(props: FileRowProps) {
  const { entry, isWithFolder, tabIndex, onOpen, onMove, onRemove } = props;
  const { t, formats } = useChatTexts();
  const attach = useAttach();
  const { toCommand } = useAgentCall();
  const copy = useCopy();
  const download = useDownload();
  const { name, path, type, size, modified } = entry;
  const Icon = ICONS[entry.kind];
  const isFolder = type === 'directory';
  const command = () => toCommand({ method: 'GET', path: fileUrl(path), output: isFolder ? `${name}.zip` : name });
  const facts = [
    ...(isWithFolder ? [parentOf(path) || t('files.root')] : []),
    isFolder ? t('files.folder') : formats.bytes(size),
    formats.time(modified),
  ];
  return (
    <div className="flex h-12 items-center gap-1 rounded-md hover:bg-hover">
      <button
        type="button"
        tabIndex={tabIndex}
        onClick={() => onOpen(entry)}
        className="flex h-full min-w-0 flex-1 items-center gap-3 px-2 text-start"
      >
        {entry.kind === 'image' && size <= MAX_THUMBNAIL_BYTES ? (
          <Thumbnail url={fileUrl(path)} />
        ) : (
          <Icon aria-hidden className="size-5 shrink-0 text-ink-soft" strokeWidth={1.5} />
        )}
        <span className="flex min-w-0 flex-col">
          <span className="min-w-0">
            <MiddleText text={name} />
          </span>
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
        trigger={<IconButton icon={Ellipsis} label={t('files.more', { name })} tabIndex={tabIndex} />}
        items={[
          ...(isFolder ? [] : [{ label: t('files.attach'), icon: Paperclip, onChoose: () => attach(entry) }]),
          {
            label: isFolder ? t('files.downloadZip') : t('files.download'),
            icon: Download,
            onChoose: () => download(entry),
          },
          { label: t('files.rename'), icon: Pencil, onChoose: () => onMove(entry) },
          { label: t('parts.copyCurl'), icon: Terminal, onChoose: () => copy(command()) },
          { label: t('files.delete'), icon: Trash2, onChoose: () => onRemove(entry) },
        ]}
      />
    </div>
  );
});

/** Returns a function that attaches a workspace file to the message being written. */
function useAttach(): (entry: Pick<FileEntry, 'name' | 'path' | 'size'>) => void {
  const { t } = useChatTexts();
  const { uploads } = useOpenChat();
  const tell = useTell();
  return (entry) => {
    uploads.attach(entry);
    tell(t('files.attached', { name: entry.name }));
  };
}

/** The actions on a file or folder, in the list and in the preview. */
export interface FileActions {
  onOpen(entry: FileEntry): void;
  /** Asks for a new name or path. */
  onMove(entry: FileEntry): void;
  onRemove(entry: FileEntry): void;
}
