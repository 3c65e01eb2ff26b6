import type { IncomingHttpHeaders } from 'node:http';
import { matchesStrongly, matchesWeakly, parseEntityTags } from './entity-tags.ts';

/** State that conditions are compared with: a strong validator with its quotes, and milliseconds since the epoch. */
interface Version {
  readonly etag: string;
  readonly updatedAtMs: number;
}

/** Evaluates the conditions of a GET or HEAD, in the order of RFC 9110, 13.2.2. An invalid header is ignored. */
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

/**
 * Returns true when a `Range` applies: without `If-Range`, or when that names the current version (RFC 9110, 13.1.5).
 */
export function isRangeWanted(ifRange: string | undefined, { etag, updatedAtMs }: Version): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"') || ifRange.startsWith('W/')) return ifRange === etag;
  return secondsOf(ifRange) === Math.floor(updatedAtMs / 1_000);
}

function tagsOf(header: string | undefined) {
  return header === undefined ? undefined : parseEntityTags(header);
}

/** Parses an HTTP date, in the form that must be sent (RFC 9110, 5.6.7), to seconds. */
function secondsOf(header: string | undefined): number | undefined {
  if (header === undefined || !/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header)) return undefined;
  const ms = Date.parse(header);
  return Number.isNaN(ms) ? undefined : ms / 1_000;
}
