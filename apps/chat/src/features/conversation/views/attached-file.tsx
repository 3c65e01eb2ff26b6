import type { Attachment, FileKind } from '@berth/contract/agent';
import { Dialog, MiddleText, Skeleton } from '@berth/ui';
import { Paperclip } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { fileUrl } from '../../../api/file-path.ts';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { MessageLink } from '../../media/message-link.tsx';
import { resolveSource } from '../../media/resolve-source.ts';
import { MAX_THUMBNAIL_BYTES, Thumbnail } from '../../media/thumbnail.tsx';

// Not part of the first load.
const FileContent = lazy(async () => ({ default: (await import('../../previews/file-content.tsx')).FileContent }));

/** A file attached to a message: its name and, for an image, a thumbnail. Opens a preview; in a shared chat, a download. */
export function AttachedFile({ attachment }: { readonly attachment: Attachment }) {
  const { name, path, url = path } = attachment;
  const { t } = useChatTexts();
  const [isOpen, setOpen] = useState(false);
  const source = resolveSource(url, location.origin);
  if (source?.kind !== 'file' || !source.url.startsWith('/files/')) {
    return (
      <p className="flex items-center gap-1.5">
        <Paperclip aria-hidden className="size-3.5 shrink-0 text-ink-soft" />
        <MessageLink href={url}>{name}</MessageLink>
      </p>
    );
  }
  const entry = {
    name,
    path,
    type: 'file',
    kind: kindOf(attachment),
    size: attachment.size ?? 0,
    modified: '',
  } as const;
  return (
    <p className="my-1 flex items-center gap-2">
      {isSmallImage(attachment) ? (
        <Thumbnail url={source.url} />
      ) : (
        <Paperclip aria-hidden className="size-3.5 shrink-0 text-ink-soft" />
      )}
      <a
        href={source.url}
        className="min-w-0 text-accent underline underline-offset-2"
        onClick={(event) => {
          event.preventDefault();
          setOpen(true);
        }}
      >
        <MiddleText text={name} />
      </a>
      {isOpen && (
        <Dialog title={name} isOpen isWide onClose={() => setOpen(false)}>
          <Suspense fallback={<Skeleton rows={6} />}>
            <FileContent entry={entry} />
          </Suspense>
          <p className="mt-4">
            <MessageLink href={fileUrl(path)}>{t('files.download')}</MessageLink>
          </p>
        </Dialog>
      )}
    </p>
  );
}

/** Returns whether an attachment is an image that is small enough for a thumbnail. */
export function isSmallImage({ type = '', size = 0 }: Pick<Attachment, 'type' | 'size'>): boolean {
  return type.startsWith('image/') && size <= MAX_THUMBNAIL_BYTES;
}

const OFFICE: Readonly<Record<string, FileKind>> = {
  ...{ doc: 'document', docx: 'document', odt: 'document', rtf: 'document' },
  ...{ xls: 'spreadsheet', xlsx: 'spreadsheet', ods: 'spreadsheet' },
  ...{ ppt: 'presentation', pptx: 'presentation', odp: 'presentation' },
};

/** Returns the kind that the file listing would give the file. */
function kindOf({ type = '', name }: Attachment): FileKind {
  const office = OFFICE[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
  if (office) return office;
  const [family = ''] = type.split('/');
  if (family === 'image' || family === 'audio' || family === 'video' || family === 'text') return family;
  if (type === 'application/pdf') return 'pdf';
  return /json|xml|yaml|javascript|typescript/.test(type) ? 'code' : 'other';
}
