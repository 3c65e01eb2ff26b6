import type { BrowserCookie } from './browser-cookie.ts';

/** The token of an `Authorization: Bearer` header; undefined for any other header value. */
export function parseBearer(authorization: string): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1];
}

/** The session token of a request: of its `Authorization` header, or where it has none, of the cookie of the platform's pages. */
export function readSessionToken(headers: Headers, cookie: Pick<BrowserCookie, 'read'>): string | undefined {
  const authorization = headers.get('authorization');
  return authorization === null ? cookie.read(headers) : parseBearer(authorization);
}
