import type { IncomingHttpHeaders } from 'node:http';
import { matchesStrongly, matchesWeakly, parseEntityTags } from './entity-tags.ts';

/** What conditions are compared with: a strong validator with its quotes, and epoch milliseconds. */
interface Version {
  readonly etag: string;
  readonly updatedAtMs: number;
}

/**
 * What the conditions of a GET or HEAD come to, in the order of RFC 9110, 13.2.2. A header that can't be read counts as
 * not sent.
 */
export function evaluateConditions(headers: IncomingHttpHeaders, { etag, updatedAtMs }: Version): 200 | 304 | 412 {
  const ifMatch = tagsOf(headers['if-match']);
  const ifUnmodified = secondsOf(headers['if-unmodified-since']);
  const updated = Math.floor(updatedAtMs / 1_000);
  if (ifMatch) {
    if (!matchesStrongly(ifMatch, etag)) return 412;
  } else if (ifUnmodified !== undefined && updated > ifUnmodified) return 412;

  const ifNoneMatch = tagsOf(headers['if-none-match']);
  const ifModified = secondsOf(headers['if-modified-since']);
  if (ifNoneMatch) return matchesWeakly(ifNoneMatch, etag) ? 304 : 200;
  return ifModified !== undefined && updated <= ifModified ? 304 : 200;
}

/** Whether a `Range` is to be heeded: without `If-Range`, or when that names the version that is there (RFC 9110, 13.1.5). */
export function isRangeWanted(ifRange: string | undefined, { etag, updatedAtMs }: Version): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"') || ifRange.startsWith('W/')) return ifRange === etag;
  return secondsOf(ifRange) === Math.floor(updatedAtMs / 1_000);
}

function tagsOf(header: string | undefined) {
  return header === undefined ? undefined : parseEntityTags(header);
}

/** Seconds of an HTTP date in the form that has to be sent (RFC 9110, 5.6.7). */
function secondsOf(header: string | undefined): number | undefined {
  if (header === undefined || !/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header)) return undefined;
  const ms = Date.parse(header);
  return Number.isNaN(ms) ? undefined : ms / 1_000;
}
