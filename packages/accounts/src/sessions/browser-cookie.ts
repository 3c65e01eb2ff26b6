import type { PlatformCookie } from '@berth/contract';
import { BROWSER_HEADER } from '@berth/contract/headers';
import { createHostCookie, type HostCookie } from '@berth/http';

/**
 * A cookie that no script can read. Invariants:
 * 1. It is accepted only with the header `X-Berth-Browser: 1`, which no form, link or image can send, and which another origin's
 *    script can't send either: the API answers no preflight. A WebSocket, which has no such headers, must have an `Origin`.
 * 2. It is accepted only when `Origin` and `Sec-Fetch-Site`, if sent, name the platform's own origin. Services
 *    on sibling hosts belong to the same site, so `SameSite` alone would admit them.
 */
export interface BrowserCookie extends HostCookie {
  /** Returns the cookie's value in a request; undefined when it is missing or not accepted. */
  read(headers: Headers): string | undefined;
  /** True when the request comes from a page of the platform, which may get the cookie. */
  isWanted(headers: Headers): boolean;
}

/** @param baseUrl the address of the API. @param label the cookie's name without its prefix. */
export function createBrowserCookie(baseUrl: string, label: PlatformCookie): BrowserCookie {
  const { origin, protocol } = new URL(baseUrl);
  const cookie = createHostCookie({ label, isSecure: protocol === 'https:', sameSite: 'Strict' });

  const isOwnPage = (headers: Headers): boolean => {
    const isWebSocket = headers.get('upgrade')?.toLowerCase() === 'websocket';
    // Scripts can't set `Upgrade`, and browsers send the `Origin` of every WebSocket.
    if (!isWebSocket && headers.get(BROWSER_HEADER) !== '1') return false;
    const site = headers.get('sec-fetch-site');
    if (site !== null && site !== 'same-origin') return false;
    const from = headers.get('origin');
    if (from === null) return !isWebSocket;
    if (from === origin) return true;
    // The platform may be reached under names that it doesn't know, such as the machine's IP address.
    return URL.canParse(from) && new URL(from).host === headers.get('host');
  };

  return {
    ...cookie,
    read: (headers) => (isOwnPage(headers) ? cookie.read(headers) : undefined),
    isWanted: isOwnPage,
  };
}
