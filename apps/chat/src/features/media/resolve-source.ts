import { type FileUrl, findFileUrl } from '../../api/file-path.ts';

/** The resolved address of an image or link in a message. */
export type Source =
  /** A file on this server: read with the person's token. */
  | { readonly kind: 'file'; readonly url: FileUrl }
  /** A public file on this server: loaded without the token. */
  | { readonly kind: 'public'; readonly url: string }
  /** Any other route of this server: shown as a link, never loaded. A request to it could have side effects. */
  | { readonly kind: 'own'; readonly url: string }
  /** An image inside the message, as a data URL. */
  | { readonly kind: 'inline'; readonly url: string }
  /** Another server: shown as a link, never loaded. An image address could leak the chat. */
  | { readonly kind: 'remote'; readonly url: string };

const INLINE_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;
const LINK_PROTOCOLS: readonly string[] = ['http:', 'https:', 'mailto:'];

/**
 * Resolves the `src` of an image or the target of a link; undefined for an address that is neither loaded nor followed
 * (`javascript:`, `data:text/html`, …). A relative path names a file of the workspace.
 */
export function resolveSource(src: string, origin: string): Source | undefined {
  const text = src.trim();
  if (INLINE_IMAGE.test(text)) return { kind: 'inline', url: text };
  const relative = /^[a-z][a-z\d+.-]*:|^[/\\#?]/i.test(text) ? text : `/files/${text.replace(/^\.\//, '')}`;
  let url: URL;
  try {
    url = new URL(relative, origin);
  } catch {
    return undefined;
  }
  if (!LINK_PROTOCOLS.includes(url.protocol)) return undefined;
  if (url.origin !== origin) return { kind: 'remote', url: url.href };
  const file = findFileUrl(url);
  if (file !== undefined) return { kind: 'file', url: file };
  return { kind: url.pathname.startsWith('/public/') ? 'public' : 'own', url: url.pathname + url.search + url.hash };
}
