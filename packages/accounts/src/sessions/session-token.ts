import type { BrowserCookie } from './browser-cookie.ts';

/** Returns the token of an `Authorization: Bearer` header; undefined for any other header value. */
export function parseBearer(authorization: string): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1];
}

/** Returns the session token of a request, from its `Authorization` header or, without one, from the platform's cookie. */
export function readSessionToken(headers: Headers, cookie: Pick<BrowserCookie, 'read'>): string | undefined {
  const authorization = headers.get('authorization');
  return authorization === null ? cookie.read(headers) : parseBearer(authorization);
}
