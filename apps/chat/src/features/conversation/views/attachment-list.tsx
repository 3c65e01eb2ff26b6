import { IconButton, MiddleText } from '@berth/ui';
import { RotateCcw, X } from 'lucide-react';
import { fileUrl } from '../../../api/file-path.ts';
import { Progress } from '../../../components/progress.tsx';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { Thumbnail } from '../../media/thumbnail.tsx';
import type { Upload } from '../../uploads/upload-queue.ts';
import { useUploadError } from '../../uploads/use-upload-error.ts';
import { isSmallImage } from './attached-file.tsx';

export interface AttachmentListProps {
  readonly files: readonly Upload[];
  /** Retries a failed upload. */
  onRetry(id: string): void;
  onRemove(id: string): void;
}

/** The files attached to the message being written, with the upload progress of each. */
export function AttachmentList({ files, onRetry, onRemove }: AttachmentListProps) {
  const { t, formats } = useChatTexts();
  const explain = useUploadError();
  if (files.length === 0) return null;
  return (
    <ul aria-label={t('compose.attached')} className="mb-2 flex flex-wrap gap-2">
      {files.map(({ id, name, sizeBytes, progress, attachment, error }) => (
        <li key={id} className="flex max-w-full items-center gap-2 rounded-lg border border-line bg-sunken ps-3 pe-1">
          {attachment && isSmallImage(attachment) && <Thumbnail url={fileUrl(attachment.path)} />}
          <div className="min-w-0 py-1">
            <MiddleText text={name} />
            {error !== undefined ? (
              <p role="alert" className="text-xs text-bad">
                {explain(error)}
              </p>
            ) : attachment ? (
              <p className="text-xs text-ink-soft">{formats.bytes(sizeBytes)}</p>
            ) : (
              <Progress label={name} value={progress} />
            )}
          </div>
          {error !== undefined && (
            <IconButton icon={RotateCcw} label={t('compose.again', { name })} onClick={() => onRetry(id)} />
          )}
          <IconButton icon={X} label={t('compose.remove', { name })} onClick={() => onRemove(id)} />
        </li>
      ))}
    </ul>
  );
}
