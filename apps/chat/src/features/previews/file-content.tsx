import type { FileEntry } from '@berth/contract/agent';
import { EmptyState, ErrorNote, Skeleton } from '@berth/ui';
import { FileX } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { type FileUrl, fileUrl } from '../../api/file-path.ts';
import { ZoomImage } from '../../components/zoom-image.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { toBlob, useFile, useFileAddress } from '../media/use-file.ts';
import { previewOf } from './preview-of.ts';
import { Converting, SlidesPreview } from './slides-preview.tsx';
import { TextPreview } from './text-preview.tsx';

const PdfPages = lazy(async () => ({ default: (await import('./pdf-pages.tsx')).PdfPages }));

/** A preview of a file, or a note that it has none. */
export function FileContent({ entry }: { readonly entry: FileEntry }) {
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
    case 'slides':
      return <SlidesPreview url={fileUrl(entry.path, 'slides')} name={entry.name} />;
    case 'pdf':
      return <PagesPreview url={url} isConverted={false} />;
    case 'office':
      return <PagesPreview url={fileUrl(entry.path, 'pdf')} isConverted />;
    default:
      return <TextPreview url={url} preview={preview} />;
  }
}

interface MediaPreviewProps {
  readonly kind: 'image' | 'audio' | 'video';
  readonly url: FileUrl;
  readonly name: string;
}

function MediaPreview({ kind, url, name }: MediaPreviewProps) {
  const { t } = useChatTexts();
  const { address, error } = useFileAddress(url);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (address === undefined) return <Skeleton rows={6} />;
  if (kind === 'image') return <ZoomImage src={address} alt={name} label={t('files.enlarge', { name })} />;
  // biome-ignore lint/a11y/useMediaCaption: workspace files have no caption tracks
  if (kind === 'audio') return <audio src={address} controls aria-label={name} className="w-full" />;
  // biome-ignore lint/a11y/useMediaCaption: workspace files have no caption tracks
  return <video src={address} controls aria-label={name} className="w-full rounded-md" />;
}

function PagesPreview({ url, isConverted }: { readonly url: FileUrl; readonly isConverted: boolean }) {
  const { value: blob, error } = useFile(url, toBlob);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (blob === undefined) return isConverted ? <Converting /> : <Skeleton rows={8} />;
  return (
    <Suspense fallback={<Skeleton rows={8} />}>
      <PdfPages blob={blob} />
    </Suspense>
  );
}
