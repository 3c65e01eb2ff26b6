import { useEffect, useState } from 'react';
import type { FileUrl } from '../../api/file-path.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useReadFile } from './file-reader-context.ts';
import { MessageLink } from './message-link.tsx';
import { resolveSource } from './resolve-source.ts';

export interface MessageImageProps {
  readonly src: string;
  readonly alt: string;
}

/**
 * A picture that is a file of this server or lies in the message itself. Any other is a link: loading an address of somebody
 * else's could carry a chat away, and loading a route of this server with the person's token could act for them.
 */
export function MessageImage({ src, alt }: MessageImageProps) {
  const { t } = useChatTexts();
  const source = resolveSource(src, location.origin);
  if (source === undefined) return <span className="text-ink-soft">{alt || t('part.picture')}</span>;
  if (source.kind === 'remote') {
    const host = new URL(source.url).hostname;
    return <MessageLink href={source.url}>{t('part.pictureOn', { name: alt || t('part.picture'), host })}</MessageLink>;
  }
  if (source.kind === 'own') return <MessageLink href={source.url}>{alt || t('part.picture')}</MessageLink>;
  if (source.kind === 'file') return <OwnImage url={source.url} alt={alt} />;
  return <img className="max-h-96 max-w-full rounded-md" src={source.url} alt={alt} />;
}

/** A file of the workspace or of a share: read with the person's token, which an `img` alone can't send. */
function OwnImage({ url, alt }: { readonly url: FileUrl; readonly alt: string }) {
  const { t } = useChatTexts();
  const readFile = useReadFile();
  const [address, setAddress] = useState<string | undefined>();
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    let made: string | undefined;
    let isLeft = false;
    readFile(url).then(
      (blob) => {
        if (isLeft) return;
        made = URL.createObjectURL(blob);
        setAddress(made);
      },
      () => setGone(true),
    );
    return () => {
      isLeft = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [readFile, url]);
  if (isGone) return <span className="text-ink-soft">{t('part.gone', { name: alt || t('part.picture') })}</span>;
  if (address === undefined) return <span className="block h-40 w-60 animate-pulse rounded-md bg-hover" />;
  return <img className="max-h-96 max-w-full rounded-md" src={address} alt={alt} />;
}
