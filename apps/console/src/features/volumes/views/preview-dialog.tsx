import type { ObjectsPage } from '@berth/contract';
import { Button, CopyCommand, Dialog, ErrorNote, quote, Skeleton } from '@berth/ui';
import { Download } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { nameOf } from '../state/folder-path.ts';
import { previewKind, TEXT_BYTES } from '../state/preview-kind.ts';
import { useDownload } from './use-download.ts';
import { usePreview } from './use-preview.ts';

/** Props of {@link PreviewDialog}. */
export interface PreviewDialogProps {
  readonly volume: string;
  readonly file: ObjectsPage['objects'][number];
  onClose(): void;
}

/** Dialog that previews a file: an image, or the beginning of a text. */
export function PreviewDialog({ volume, file, onClose }: PreviewDialogProps) {
  const { t, formats } = useConsoleTexts();
  const download = useDownload(volume);
  const { path, size, updated } = file;
  const kind = previewKind(path, size);
  const { address, text, error } = usePreview(volume, path, kind);
  const isWaiting = kind !== undefined && address === undefined && text === undefined && !error;
  return (
    <Dialog
      title={nameOf(path)}
      description={`${formats.bytes(size)} · ${formats.time(updated)}`}
      isOpen
      isWide
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        {error && <ErrorNote error={error} />}
        {isWaiting && <Skeleton rows={4} />}
        {kind === undefined && <p className="text-ink-soft">{t('files.preview.none')}</p>}
        {address !== undefined && (
          <img
            src={address}
            alt={nameOf(path)}
            className="mx-auto max-h-[50vh] max-w-full rounded-md bg-sunken object-contain"
          />
        )}
        {text !== undefined && (
          <section
            aria-label={nameOf(path)}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
            tabIndex={0}
            className="max-h-[50vh] overflow-auto rounded-md border border-line bg-sunken p-3"
          >
            <pre dir="auto" className="font-mono text-xs break-words whitespace-pre-wrap">
              {text}
            </pre>
          </section>
        )}
        {text !== undefined && size > TEXT_BYTES && (
          <p className="text-xs text-ink-soft">{t('files.preview.cut', { size: formats.bytes(TEXT_BYTES) })}</p>
        )}
        <div className="flex justify-end gap-2">
          <CopyCommand
            cli={`npx berth volume get ${quote(volume)} ${quote(path)}`}
            http={{ method: 'POST', path: '/v1/volume/download', body: { volume, object: path } }}
          />
          <Button onClick={() => void download(path)}>
            <Download aria-hidden className="size-4" />
            {t('files.download')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
