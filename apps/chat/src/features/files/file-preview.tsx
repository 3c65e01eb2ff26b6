import type { FileEntry } from '@berth/contract/agent';
import { IconButton, MiddleText } from '@berth/ui';
import { ArrowLeft, Download, Pencil, Trash2 } from 'lucide-react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { FileContent } from '../previews/file-content.tsx';
import type { FileActions } from './file-row.tsx';
import { useDownload } from './use-download.ts';

export interface FilePreviewProps extends FileActions {
  readonly entry: FileEntry;
  onBack(): void;
}

/** The preview of a file, with buttons for its actions. */
export function FilePreview({ entry, onMove, onRemove, onBack }: FilePreviewProps) {
  const { t, formats } = useChatTexts();
  const download = useDownload();
  return (
    <section aria-label={entry.name} className="flex flex-col gap-3 pb-4">
      <header className="flex items-center gap-1">
        <IconButton
          icon={ArrowLeft}
          label={t('files.back')}
          onClick={onBack}
          autoFocus
          className="rtl:[&>svg]:-scale-x-100"
        />
        <h3 className="min-w-0 flex-1 font-medium">
          <MiddleText text={entry.name} />
          <span className="block text-xs font-normal text-ink-soft tabular-nums">
            <bdi>{formats.bytes(entry.size)}</bdi> · <bdi>{formats.time(entry.modified)}</bdi>
          </span>
        </h3>
        <IconButton icon={Download} label={t('files.download')} onClick={() => download(entry)} />
        <IconButton icon={Pencil} label={t('files.rename')} onClick={() => onMove(entry)} />
        <IconButton icon={Trash2} label={t('files.delete')} onClick={() => onRemove(entry)} />
      </header>
      <FileContent key={entry.path} entry={entry} />
    </section>
  );
}
