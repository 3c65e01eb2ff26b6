import { createHmac } from 'node:crypto';
import type { PlatformCookie } from '@berth/contract/platform-cookies';

/** Name of the cookie that carries a session's instance. */
export const AFFINITY_COOKIE: PlatformCookie = 'berth_affinity';

/** 30 days. Source: docs/architecture.md, "The gateway". */
const MAX_AGE_SECONDS = 30 * 24 * 3600;

/**
 * The signed name of an instance. It is made once an instance; a cookie is checked by finding its whole value among those of the ready
 * instances, so one that was not signed here names none.
 */
export function signAffinity(
  secret: string | Uint8Array,
  owner: { readonly account: string; readonly deployment: string; readonly revision: string },
  instanceId: string,
): string {
  const signed = [owner.account, owner.deployment, owner.revision, instanceId].join('\n');
  return `${instanceId}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** The affinity cookie's value in a `Cookie` header; undefined when it holds none. */
export function readAffinityCookie(cookie: string | undefined): string | undefined {
  if (cookie === undefined) return undefined;
  for (let start = 0; start < cookie.length; ) {
    let end = cookie.indexOf(';', start);
    if (end < 0) end = cookie.length;
    const pair = cookie.slice(start, end).trim();
    if (pair.startsWith(`${AFFINITY_COOKIE}=`)) return pair.slice(AFFINITY_COOKIE.length + 1);
    start = end + 1;
  }
  return undefined;
}

/** The `Set-Cookie` value that ties a client to an instance. */
export function affinitySetCookie(key: string, isSecure: boolean): string {
  const attributes = `Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax`;
  return `${AFFINITY_COOKIE}=${key}; ${attributes}${isSecure ? '; Secure' : ''}`;
}
