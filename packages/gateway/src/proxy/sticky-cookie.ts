import type { PlatformCookie } from '@berth/contract/platform-cookies';

/** The cookies that keep a browser where it was. */
export type StickyCookie = Extract<PlatformCookie, 'berth_affinity' | 'berth_revision'>;

/** 30 days. Source: docs/architecture.md, "The gateway". */
const MAX_AGE_SECONDS = 30 * 24 * 3600;

/** Returns the value of a cookie in a `Cookie` header; undefined when there is none. */
export function readCookie(cookies: string | undefined, name: StickyCookie): string | undefined {
  if (cookies === undefined) return undefined;
  for (let start = 0; start < cookies.length; ) {
    let end = cookies.indexOf(';', start);
    if (end < 0) end = cookies.length;
    const pair = cookies.slice(start, end).trim();
    if (pair.startsWith(name) && pair[name.length] === '=') return pair.slice(name.length + 1);
    start = end + 1;
  }
  return undefined;
}

/** Returns the `Set-Cookie` value that keeps a browser where it is. */
export function stickySetCookie(name: StickyCookie, value: string, isSecure: boolean): string {
  const attributes = `Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax`;
  return `${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
}
