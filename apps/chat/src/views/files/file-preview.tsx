import type { FileEntry } from '@berth/contract/agent';
import { EmptyState, ErrorNote, IconButton, MiddleText, Skeleton } from '@berth/web';
import { ArrowLeft, Download, FileX, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { fileUrl } from '../../state/files/file-path.ts';
import { previewOf } from '../../state/files/preview-of.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { FileActions } from './file-actions.ts';
import { TextPreview } from './text-preview.tsx';
import { useBlob, useBlobUrl } from './use-blob.ts';
import { useDownload } from './use-download.ts';

const PdfPages = lazy(() => import('./pdf-pages.tsx').then(({ PdfPages }) => ({ default: PdfPages })));

export interface FilePreviewProps extends FileActions {
  readonly entry: FileEntry;
  onBack(): void;
}

/** One file: what it looks like, and what can be done with it. */
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
      <Content key={entry.path} entry={entry} />
    </section>
  );
}

function Content({ entry }: { readonly entry: FileEntry }) {
  const { t } = useChatTexts();
  const preview = previewOf(entry);
  const url = fileUrl(entry.path);
  switch (preview.kind) {
    case 'none':
      return <EmptyState icon={FileX} title={t('files.noPreview')} text={t('files.noPreviewText')} />;
    case 'image':
    case 'audio':
    case 'video':
      return <MediaPreview kind={preview.kind} url={url} name={entry.name} />;
    case 'pdf':
    case 'office':
      return <PagesPreview url={preview.kind === 'pdf' ? url : `${url}?as=pdf`} />;
    default:
      return <TextPreview url={url} preview={preview} />;
  }
}

interface MediaPreviewProps {
  readonly kind: 'image' | 'audio' | 'video';
  readonly url: string;
  readonly name: string;
}

function MediaPreview({ kind, url, name }: MediaPreviewProps) {
  const { address, error } = useBlobUrl(url);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (address === undefined) return <Skeleton rows={6} />;
  if (kind === 'image') return <img src={address} alt={name} className="max-w-full self-center rounded-md" />;
  // biome-ignore lint/a11y/useMediaCaption: a file of one's own comes without
  if (kind === 'audio') return <audio src={address} controls aria-label={name} className="w-full" />;
  // biome-ignore lint/a11y/useMediaCaption: a file of one's own comes without
  return <video src={address} controls aria-label={name} className="w-full rounded-md" />;
}

function PagesPreview({ url }: { readonly url: string }) {
  const { blob, error } = useBlob(url);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (blob === undefined) return <Skeleton rows={8} />;
  return (
    <Suspense fallback={<Skeleton rows={8} />}>
      <PdfPages blob={blob} />
    </Suspense>
  );
}
