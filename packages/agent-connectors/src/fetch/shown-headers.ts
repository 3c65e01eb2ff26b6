import type { IncomingHttpHeaders } from 'node:http';

/** Response headers that are forwarded to the caller, in addition to `X-…` and `…RateLimit-…`. */
const KEPT: readonly string[] = [
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'deprecation',
  'etag',
  'last-modified',
  'link',
  'preference-applied',
  'request-id',
  'retry-after',
  'sunset',
];
const KEPT_KINDS = /^x-|ratelimit/;
/** `X-…` headers that proxies and browsers act on: file serving, page policies, source maps. */
const OBEYED =
  /^x-(accel|sendfile|lighttpd|litespeed|frame|content-|xss|dns|download|permitted|sourcemap|source-map|ua-compatible|robots|webkit|request-id|forwarded|real-ip|original|rewrite|workspace)/;
/** Media types that can contain scripts, or that browsers sniff. */
const ACTIVE = /html|svg|xml|script|multipart|^$/;

/** Headers that a third party's response can't weaken, since it is served from the agent's own origin. */
const FORCED = {
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Returns the headers of an API's response for the caller: no cookies, CORS permissions, policies or connection
 * headers, and nothing that a browser would execute. `Location` becomes `X-Connector-Location`, so that no browser
 * follows it.
 */
export function shownHeaders(answered: IncomingHttpHeaders, scrub: (text: string) => string): Headers {
  const shown = new Headers();
  for (const [name, value] of Object.entries(answered)) {
    const isKept = KEPT.includes(name) || (KEPT_KINDS.test(name) && !OBEYED.test(name));
    if (isKept && value !== undefined) shown.set(name, plain(scrub([value].flat().join(', '))));
  }
  if (answered.location !== undefined) {
    shown.set('x-connector-location', plain(scrub(answered.location)));
  }
  for (const [name, value] of Object.entries(FORCED)) shown.set(name, value);
  const type = (answered['content-type'] ?? '').toLowerCase();
  if (ACTIVE.test(type)) shown.set('content-disposition', asAttachment(shown.get('content-disposition')));
  return shown;
}

/** Returns an `attachment` disposition that keeps the API's file name. */
function asAttachment(disposition: string | null): string {
  return `attachment${/;.*/.exec(disposition ?? '')?.[0] ?? ''}`;
}

/** Replaces the characters that `Headers` rejects. Node reads headers as Latin-1. */
function plain(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}
