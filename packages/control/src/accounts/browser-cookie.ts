import { type PlatformCookie, platformCookieName } from '@berth/contract';
import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';

/**
 * A secret of a browser, where no script can read it. Invariants:
 * 1. It counts only beside the header `X-Berth-Browser: 1`, which no form, link or image can send, and which another origin's
 *    script can't send either: the API answers no preflight.
 * 2. It counts only when `Origin` and `Sec-Fetch-Site`, where the browser sends them, name the platform's own origin. Services
 *    on sibling hosts are of the same site, so `SameSite` alone would let them in.
 * 3. With TLS its name begins with `__Host-`, so that no sibling host can set it (RFC 6265bis section 4.1.3.2).
 */
export interface BrowserCookie {
  /** What is in a request's cookie; undefined where it doesn't count. */
  read(headers: Headers): string | undefined;
  /** True when a page of the platform asks, which may be given the cookie. */
  isWanted(headers: Headers): boolean;
  set(c: Context, value: string, maxAgeSeconds: number): void;
  clear(c: Context): void;
}

/** The header by which a page of the platform says that it is one. */
const BROWSER_HEADER = 'x-berth-browser';

/** `baseUrl` is where the API is reached. */
export function createBrowserCookie(baseUrl: string, cookie: PlatformCookie): BrowserCookie {
  const { origin, protocol } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  const name = platformCookieName(cookie, isSecure);
  const attributes = { path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure } as const;

  const isOwnPage = (headers: Headers): boolean => {
    if (headers.get(BROWSER_HEADER) !== '1') return false;
    const site = headers.get('sec-fetch-site');
    if (site !== null && site !== 'same-origin') return false;
    const from = headers.get('origin');
    if (from === null || from === origin) return true;
    // A platform is also reached under names that it doesn't know to be its own, such as the machine's address.
    return URL.canParse(from) && new URL(from).host === headers.get('host');
  };

  return {
    read(headers) {
      const cookies = headers.get('cookie');
      if (cookies === null || !isOwnPage(headers)) return undefined;
      return parse(cookies, name)[name];
    },
    isWanted: isOwnPage,
    set: (c, value, maxAge) => setCookie(c, name, value, { ...attributes, maxAge }),
    clear: (c) => setCookie(c, name, '', { ...attributes, maxAge: 0 }),
  };
}
