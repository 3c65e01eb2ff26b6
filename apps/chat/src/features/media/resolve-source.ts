import { type FileUrl, findFileUrl } from '../../api/file-path.ts';

/** Where a picture or a file of a message lies. */
export type Source =
  /** A file on this server: read with the person's token. */
  | { readonly kind: 'file'; readonly url: FileUrl }
  /** A public file on this server: loaded without it. */
  | { readonly kind: 'public'; readonly url: string }
  /** Any other route of this server: shown as a link, never loaded. Its address alone can make it do something. */
  | { readonly kind: 'own'; readonly url: string }
  /** In the message itself. */
  | { readonly kind: 'inline'; readonly url: string }
  /** Somewhere else: shown as a link, never loaded. A picture's address alone can carry a chat away. */
  | { readonly kind: 'remote'; readonly url: string };

const INLINE_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;
const LINK_PROTOCOLS: readonly string[] = ['http:', 'https:', 'mailto:'];

/**
 * Reads the `src` of an image or the target of a link; undefined for what is neither fetched nor followed
 * (`javascript:`, `data:text/html`, …). A relative path is one of the person's workspace files.
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
