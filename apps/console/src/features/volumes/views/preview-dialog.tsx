import type { Client } from '@berth/client';
import type { ObjectsPage } from '@berth/contract';
import { Button, Dialog, ErrorNote, quote, Skeleton } from '@berth/ui';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { nameOf } from '../state/folder-path.ts';
import { formatJson, type PreviewKind, previewKind, TEXT_BYTES } from '../state/preview-kind.ts';
import { useDownload } from './use-download.ts';

interface PreviewDialogProps {
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
      command={{
        cli: `npx berth volume get ${quote(volume)} ${quote(path)}`,
        http: { method: 'POST', path: '/v1/volume/download', body: { volume, object: path } },
      }}
      title={nameOf(path)}
      description={`${formats.bytes(size)} · ${formats.time(updated)}`}
      isOpen
      isWide
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        {error && <ErrorNote error={error} />}
        {isWaiting && <Skeleton shape="text" rows={6} />}
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
          <Button icon={Download} onClick={() => void download(path)}>
            {t('files.download')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Content of a previewed file. */
interface Preview {
  /** Object URL of an image; revoked when the view unmounts. */
  readonly address?: string | undefined;
  readonly text?: string | undefined;
  readonly error: Error | null;
}

/**
 * Loads the preview of a file as bytes from the storage's own origin, so that nothing in the file runs in the console.
 */
function usePreview(volume: string, path: string, kind: PreviewKind | undefined): Preview {
  const read = async (client: Client, signal: AbortSignal): Promise<Blob | string> => {
    const { url } = await client.post('/v1/volume/download', { body: { volume, object: path }, signal });
    const headers: Record<string, string> = kind === 'image' ? {} : { Range: `bytes=0-${TEXT_BYTES - 1}` };
    const answer = await fetch(url, { headers, signal, credentials: 'omit' });
    // A range request for an empty file gets 416.
    if (answer.status === 416) return '';
    if (!answer.ok) throw new Error(await answer.text());
    if (kind !== 'image') return kind === 'json' ? formatJson(await answer.text()) : answer.text();
    // Browsers need the type to display an SVG. Within an image element an SVG runs no scripts.
    const type = path.toLowerCase().endsWith('.svg') ? 'image/svg+xml' : '';
    return new Blob([await answer.arrayBuffer()], { type });
  };
  const options = { enabled: kind !== undefined, gcTime: 0 };
  const { data, error } = useRead(QUERY_KEYS.preview(volume, path), read, options);
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!(data instanceof Blob)) return;
    const made = URL.createObjectURL(data);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return { address, text: typeof data === 'string' ? data : undefined, error };
}
