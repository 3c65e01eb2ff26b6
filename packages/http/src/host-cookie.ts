import { setCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';
import type { AnyContext } from './http-env.ts';

/**
 * A cookie that a server gives to its own host. Over https its name begins with `__Host-`, and no other name is read: a
 * sibling host can set every cookie of this host but those (RFC 6265bis section 4.1.3.2). Cookies are read and set here
 * alone, which `npm run layers` checks, so that none is accepted without its prefix.
 */
export interface HostCookie {
  /** The cookie's value in a request; undefined when there is none. */
  read(headers: Headers): string | undefined;
  /** Sets it out of the reach of scripts, for `maxAgeSeconds` or until the browser ends. */
  set(c: AnyContext, value: string, maxAgeSeconds?: number): void;
  clear(c: AnyContext): void;
}

export interface HostCookieOptions {
  /** The cookie's name without the prefix. */
  readonly label: string;
  /** Whether browsers reach this host over https. */
  readonly isSecure: boolean;
  readonly sameSite: 'Strict' | 'Lax';
}

export function createHostCookie({ label, isSecure, sameSite }: HostCookieOptions): HostCookie {
  const name = `${isSecure ? '__Host-' : ''}${label}`;
  const attributes = { path: '/', httpOnly: true, sameSite, secure: isSecure } as const;
  return {
    read: (headers) => parse(headers.get('cookie') ?? '', name)[name],
    set: (c, value, maxAge) => setCookie(c, name, value, { ...attributes, ...(maxAge !== undefined && { maxAge }) }),
    clear: (c) => setCookie(c, name, '', { ...attributes, maxAge: 0 }),
  };
}
