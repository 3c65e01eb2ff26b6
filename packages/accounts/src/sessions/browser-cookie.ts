import type { PlatformCookie } from '@berth/contract';
import { createHostCookie, type HostCookie } from '@berth/http';

/**
 * A secret of a browser, where no script can read it. Invariants:
 * 1. It counts only beside the header `X-Berth-Browser: 1`, which no form, link or image can send, and which another origin's
 *    script can't send either: the API answers no preflight.
 * 2. It counts only when `Origin` and `Sec-Fetch-Site`, where the browser sends them, name the platform's own origin. Services
 *    on sibling hosts are of the same site, so `SameSite` alone would let them in.
 */
export interface BrowserCookie extends HostCookie {
  /** The cookie's value in a request; undefined where it doesn't count. */
  read(headers: Headers): string | undefined;
  /** True when a page of the platform asks, which may be given the cookie. */
  isWanted(headers: Headers): boolean;
}

/** The header by which a page of the platform says that it is one. */
const BROWSER_HEADER = 'x-berth-browser';

/** `baseUrl` is where the API is reached; `label` is the cookie's name but for its prefix. */
export function createBrowserCookie(baseUrl: string, label: PlatformCookie): BrowserCookie {
  const { origin, protocol } = new URL(baseUrl);
  const cookie = createHostCookie({ label, isSecure: protocol === 'https:', sameSite: 'Strict' });

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
    ...cookie,
    read: (headers) => (isOwnPage(headers) ? cookie.read(headers) : undefined),
    isWanted: isOwnPage,
  };
}
