import { PLATFORM_COOKIES } from '@berth/contract/platform-cookies';

/**
 * Removes the platform's cookies from a `Cookie` header that goes to a service. Browsers send them to services on the platform's host,
 * because cookies ignore ports (RFC 6265 section 8.5).
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
 * Returns whether a service may set this cookie. It may not use the name of a platform cookie, and the domain must be its own host or a
 * subdomain. Services share a parent domain, so a cookie for the parent would be sent to all of them and to the platform.
 *
 * @param setCookie the value of a `Set-Cookie` header.
 * @param authority the host of the request, with or without a port.
 */
export function isOwnCookie(setCookie: string, authority: string): boolean {
  const [pair = '', ...attributes] = setCookie.split(';');
  if (PLATFORM_NAME.test(pair) && isPlatformCookie(pair)) return false;
  let domain = '';
  for (const attribute of attributes) {
    const at = attribute.indexOf('=');
    if (at < 0 || attribute.slice(0, at).replace(EDGES, '').toLowerCase() !== 'domain') continue;
    // The last `Domain` wins. Some browsers ignore an empty one and others read it as "this host only" (RFC 6265 section 5.2.3).
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

/** Returns true when `pair` (`name=value`) is a cookie of the platform. */
function isPlatformCookie(pair: string): boolean {
  // A cookie without a name is sent as its value, which may read `name=value` (RFC 6265bis section 5.7).
  const text = pair.replace(EDGES, '').replace(/^[= \t]+/, '');
  const name = text.split('=', 1)[0]!.replace(EDGES, '').toLowerCase();
  return NAMES.has(name.replace(/^__(?:host|secure)-/, ''));
}

/** Exactly the white space that browsers trim. Any other white space is part of the name or value. */
const EDGES = /^[ \t]+|[ \t]+$/g;
/** Names in lower case. They match in any case, because browsers disagree about the case of the prefix. */
const NAMES: ReadonlySet<string> = new Set(PLATFORM_COOKIES);
const PLATFORM_NAME = new RegExp(PLATFORM_COOKIES.join('|'), 'i');
