import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { OpenObject } from '@berth/object-store';

/** A reader that wants to know that all of it came whole asks so. */
const WANTED = /(?:^|[,\s])sha-256\s*(?:=\s*[1-9]\d?)?\s*(?:,|$)/i;

/**
 * The digest of the whole object, when the request asks for one, also where only a range of it is sent: what broke off and went on is
 * checked as one. It costs a reading of the object before the answer begins.
 * Source: RFC 9530, `Want-Repr-Digest`.
 */
export async function reprDigest(headers: IncomingHttpHeaders, open: OpenObject): Promise<string | undefined> {
  const wanted = headers['want-repr-digest'];
  if (typeof wanted !== 'string' || !WANTED.test(wanted)) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of open.read(undefined)) hash.update(chunk as Buffer);
  return `sha-256=:${hash.digest('base64')}:`;
}
