import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { OpenObject } from '@berth/object-store';

/** Matches a request for a SHA-256 digest. */
const WANTED = /(?:^|[,\s])sha-256\s*(?:=\s*[1-9]\d?)?\s*(?:,|$)/i;

/**
 * Returns the digest of the whole object if the request wants one, also for a range, so that a resumed download can be checked as a
 * whole. It reads the object once before the response begins.
 * Source: RFC 9530, `Want-Repr-Digest`.
 */
export async function reprDigest(headers: IncomingHttpHeaders, open: OpenObject): Promise<string | undefined> {
  const wanted = headers['want-repr-digest'];
  if (typeof wanted !== 'string' || !WANTED.test(wanted)) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of open.read(undefined)) hash.update(chunk as Buffer);
  return `sha-256=:${hash.digest('base64')}:`;
}
