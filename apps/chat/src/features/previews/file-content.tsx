import type { FileEntry } from '@berth/contract/agent';
import { EmptyState, ErrorNote, Skeleton } from '@berth/ui';
import { FileX } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { type FileUrl, fileUrl } from '../../api/file-path.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { Converting } from './converting.tsx';
import { PicturePreview } from './picture-preview.tsx';
import { previewOf } from './preview-of.ts';
import { SlidesPreview } from './slides-preview.tsx';
import { TextPreview } from './text-preview.tsx';
import { useBlob, useBlobUrl } from './use-blob.ts';

const PdfPages = lazy(() => import('./pdf-pages.tsx').then(({ PdfPages }) => ({ default: PdfPages })));

/** A preview of a file, or a note that it has none. */
export function FileContent({ entry }: { readonly entry: FileEntry }) {
  const { t } = useChatTexts();
  const preview = previewOf(entry);
  const url = fileUrl(entry.path);
  switch (preview.kind) {
    case 'none':
      return <EmptyState icon={FileX} title={t('files.noPreview')} text={t('files.noPreviewText')} />;
    case 'image':
      return <PicturePreview url={url} name={entry.name} />;
    case 'audio':
    case 'video':
      return <MediaPreview kind={preview.kind} url={url} name={entry.name} />;
    case 'slides':
      return <SlidesPreview url={fileUrl(entry.path, 'slides')} name={entry.name} />;
    case 'pdf':
    case 'office':
      return (
        <PagesPreview
          url={preview.kind === 'pdf' ? url : fileUrl(entry.path, 'pdf')}
          isConverted={preview.kind === 'office'}
        />
      );
    default:
      return <TextPreview url={url} preview={preview} />;
  }
}

interface MediaPreviewProps {
  readonly kind: 'audio' | 'video';
  readonly url: FileUrl;
  readonly name: string;
}

function MediaPreview({ kind, url, name }: MediaPreviewProps) {
  const { address, error } = useBlobUrl(url);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (address === undefined) return <Skeleton rows={6} />;
  // biome-ignore lint/a11y/useMediaCaption: workspace files have no caption tracks
  if (kind === 'audio') return <audio src={address} controls aria-label={name} className="w-full" />;
  // biome-ignore lint/a11y/useMediaCaption: workspace files have no caption tracks
  return <video src={address} controls aria-label={name} className="w-full rounded-md" />;
}

interface PagesPreviewProps {
  readonly url: FileUrl;
  readonly isConverted: boolean;
}

function PagesPreview({ url, isConverted }: PagesPreviewProps) {
  const { blob, error } = useBlob(url);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (blob === undefined) return isConverted ? <Converting /> : <Skeleton rows={8} />;
  return (
    <Suspense fallback={<Skeleton rows={8} />}>
      <PdfPages blob={blob} />
    </Suspense>
  );
}
