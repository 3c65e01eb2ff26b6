import type { IncomingHttpHeaders } from 'node:http';

/** What a caller is told of an API's answer; besides, `X-…` and `…RateLimit-…`. */
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
/** `X-…` that servers and browsers obey: a front that sends files, policies of pages, source maps. */
const OBEYED =
  /^x-(accel|sendfile|lighttpd|litespeed|frame|content-|xss|dns|download|permitted|sourcemap|source-map|ua-compatible|robots|webkit|request-id|forwarded|real-ip|original|rewrite|workspace)/;
/** Types that browsers run scripts of, or guess at. */
const ACTIVE = /html|svg|xml|script|multipart|^$/;

/** What no answer of somebody else's may loosen: it comes from the agent's own origin. */
const FORCED = {
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/**
 * The headers of an API's answer as a caller sees them: no cookies, no permissions for other origins, no policies, nothing of
 * the connection, and nothing that runs here. `Location` is called `X-Connector-Location`: no browser may follow it.
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

/** The file's name is kept when the API says one. */
function asAttachment(disposition: string | null): string {
  return `attachment${/;.*/.exec(disposition ?? '')?.[0] ?? ''}`;
}

/** Node reads headers as latin1, and `Headers` takes no more than that. */
function plain(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}
