import { MiddleText } from '@berth/web';
import { X } from 'lucide-react';
import type { Upload } from '../../state/uploads.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface AttachmentListProps {
  readonly files: readonly Upload[];
  onRemove(id: string): void;
}

/** The files of the message that is being written, and how far each is. */
export function AttachmentList({ files, onRemove }: AttachmentListProps) {
  const { t, formats } = useChatTexts();
  if (files.length === 0) return null;
  return (
    <ul aria-label={t('compose.attached')} className="mb-2 flex flex-wrap gap-2">
      {files.map(({ id, name, sizeBytes, progress, attachment, problem }) => (
        <li key={id} className="flex max-w-full items-center gap-2 rounded-lg border border-line bg-sunken ps-3 pe-1">
          <div className="min-w-0 py-1">
            <MiddleText text={name} />
            {problem !== undefined ? (
              <p role="alert" className="text-xs text-bad">
                {problem}
              </p>
            ) : attachment ? (
              <p className="text-xs text-ink-soft">{formats.bytes(sizeBytes)}</p>
            ) : (
              <progress aria-label={name} max={1} value={progress} className="block h-1 w-full accent-accent" />
            )}
          </div>
          <button
            type="button"
            aria-label={t('compose.remove', { name })}
            onClick={() => onRemove(id)}
            className="inline-flex size-8 items-center justify-center rounded text-ink-soft hover:bg-hover hover:text-ink"
          >
            <X aria-hidden className="size-4" />
          </button>
        </li>
      ))}
    </ul>
  );
}
