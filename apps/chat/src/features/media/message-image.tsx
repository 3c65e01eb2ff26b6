import { useContext } from 'react';
import type { FileUrl } from '../../api/file-path.ts';
import { ZoomImage } from '../../components/zoom-image.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { InLinkContext, MessageLink } from './message-link.tsx';
import { resolveSource } from './resolve-source.ts';
import { useFileAddress } from './use-file.ts';

/**
 * An image in a message. Only files of this server and inline images load; any other is a link. A remote address could leak
 * the chat, and another route of this server, loaded with the person's token, could act on their behalf.
 */
export function MessageImage({ src, alt }: { readonly src: string; readonly alt: string }) {
  const { t } = useChatTexts();
  const source = resolveSource(src, location.origin);
  if (source === undefined) return <span className="text-ink-soft">{alt || t('part.picture')}</span>;
  if (source.kind === 'remote') {
    const host = new URL(source.url).hostname;
    return <MessageLink href={source.url}>{t('part.pictureOn', { name: alt || t('part.picture'), host })}</MessageLink>;
  }
  if (source.kind === 'own') return <MessageLink href={source.url}>{alt || t('part.picture')}</MessageLink>;
  if (source.kind === 'file') return <OwnImage url={source.url} alt={alt} />;
  return <Picture src={source.url} alt={alt} />;
}

/** Wide enough to read a chart, and small enough to leave the text around it in view. */
const SIZE = 'max-h-80 sm:max-w-md';

/** A picture that opens full screen when pressed; inside a link, the link is followed instead. */
function Picture({ src, alt }: { readonly src: string; readonly alt: string }) {
  const { t } = useChatTexts();
  if (useContext(InLinkContext)) return <img className={`max-w-full rounded-md ${SIZE}`} src={src} alt={alt} />;
  return <ZoomImage src={src} alt={alt || t('part.picture')} label={t('part.enlarge')} className={SIZE} />;
}

/** An image file of the workspace or a share, read with the person's token, which an `img` cannot send. */
function OwnImage({ url, alt }: { readonly url: FileUrl; readonly alt: string }) {
  const { t } = useChatTexts();
  const { address, error } = useFileAddress(url);
  if (error !== undefined)
    return <span className="text-ink-soft">{t('part.gone', { name: alt || t('part.picture') })}</span>;
  if (address === undefined) return <span className="block h-40 w-60 animate-pulse rounded-md bg-hover" />;
  return <Picture src={address} alt={alt} />;
}
