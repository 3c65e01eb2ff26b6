import { createHash } from 'node:crypto';
import { type AnyContext, evaluateConditions } from '@berth/http';

/** A public document with its cache settings. */
export interface CachedAnswer {
  /** The `Content-Type`. */
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Seconds that a cache may use the document without revalidation. */
  readonly maxAgeSeconds: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a response with a public document, or 304 when `If-None-Match` names its ETag. */
export function answerCached(c: AnyContext, { type, body, maxAgeSeconds, headers = {} }: CachedAnswer): Response {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const common = { ...headers, ETag: etag, 'Cache-Control': `public, max-age=${maxAgeSeconds}` };
  // Only the ETag is compared: a generated document has no modification time.
  const { 'if-none-match': ifNoneMatch } = c.req.header();
  const isKnown =
    evaluateConditions(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }, { etag, updatedAtMs: 0 }) ===
    304;
  if (isKnown) return new Response(null, { status: 304, headers: common });
  return new Response(body, { headers: { ...common, 'Content-Type': type } });
}
