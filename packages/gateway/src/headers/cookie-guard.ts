import { PLATFORM_COOKIES } from '@berth/contract/platform-cookies';

/**
 * The cookies of a `Cookie` header that a service may see: all but the platform's own. A browser sends those to services where
 * they share a host with the platform, since cookies ignore ports (RFC 6265 section 8.5).
 */
export function withoutPlatformCookies(cookie: string): string {
  if (!PLATFORM_NAME.test(cookie)) return cookie;
  return cookie
    .split(';')
    .filter((pair) => !isPlatformCookie(pair))
    .join(';')
    .replace(EDGES, '');
}

/**
 * Whether a service at `host` may set this cookie: one of its own name for its own host or hosts below it. Siblings share a parent
 * domain, so a cookie for the parent would be sent to all of them and to the platform.
 *
 * @param setCookie the value of a `Set-Cookie` header.
 * @param authority of the request, with or without a port.
 */
export function isOwnCookie(setCookie: string, authority: string): boolean {
  const [pair = '', ...attributes] = setCookie.split(';');
  if (PLATFORM_NAME.test(pair) && isPlatformCookie(pair)) return false;
  let domain = '';
  for (const attribute of attributes) {
    const at = attribute.indexOf('=');
    if (at < 0 || attribute.slice(0, at).replace(EDGES, '').toLowerCase() !== 'domain') continue;
    // The last one counts. An empty one counts for some browsers, as "this host alone", and not for others (RFC 6265 section 5.2.3).
    domain =
      attribute
        .slice(at + 1)
        .replace(EDGES, '')
        .toLowerCase() || domain;
  }
  if (domain === '') return true;
  const host = authority.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  const named = domain.startsWith('.') ? domain.slice(1) : domain;
  return host !== '' && (named === host || named.endsWith(`.${host}`));
}

/** True for `name=value` of the platform's own. */
function isPlatformCookie(pair: string): boolean {
  // A cookie without a name is sent as its value, which may read `name=value` (RFC 6265bis section 5.7).
  const text = pair.replace(EDGES, '').replace(/^[= \t]+/, '');
  const name = text.split('=', 1)[0]!.replace(EDGES, '').toLowerCase();
  return NAMES.has(name.replace(/^__(?:host|secure)-/, ''));
}

/** The white space that browsers drop, and no other: what they keep makes another name or value. */
const EDGES = /^[ \t]+|[ \t]+$/g;
/** Any case, since browsers disagree about the case of the prefix. */
const NAMES: ReadonlySet<string> = new Set(PLATFORM_COOKIES);
const PLATFORM_NAME = new RegExp(PLATFORM_COOKIES.join('|'), 'i');
