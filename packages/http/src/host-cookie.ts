import { setCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';
import type { AnyContext } from './http-env.ts';

/**
 * A cookie that a server sets for its own host. Over https its name begins with `__Host-`, and no other name is read: a
 * sibling host can set every cookie of this host except those (RFC 6265bis section 4.1.3.2). Only this file reads and
 * sets cookies, which `npm run layers` checks, so that none is accepted without the prefix.
 */
export interface HostCookie {
  /** Returns the cookie's value in a request; undefined without one. */
  read(headers: Headers): string | undefined;
  /** Sets the cookie, not readable by scripts, for `maxAgeSeconds` or until the browser closes. */
  set(c: AnyContext, value: string, maxAgeSeconds?: number): void;
  clear(c: AnyContext): void;
}

export interface HostCookieOptions {
  /** The cookie's name without the prefix. */
  readonly label: string;
  /** True when browsers reach this host over https. */
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
