import { createHmac } from 'node:crypto';
import type { PlatformCookie } from '@berth/contract/platform-cookies';

/** Name of the session affinity cookie. */
export const AFFINITY_COOKIE: PlatformCookie = 'berth_affinity';

/** 30 days. Source: docs/architecture.md, "The gateway". */
const MAX_AGE_SECONDS = 30 * 24 * 3600;

/**
 * Returns the affinity key of an instance: its id and a signature. The key is created once per instance. A cookie is checked by
 * comparing its whole value with the keys of the ready instances, so a forged value matches none.
 */
export function signAffinity(
  secret: string | Uint8Array,
  owner: { readonly account: string; readonly deployment: string; readonly revision: string },
  instanceId: string,
): string {
  const signed = [owner.account, owner.deployment, owner.revision, instanceId].join('\n');
  return `${instanceId}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** Returns the value of the affinity cookie in a `Cookie` header; undefined when there is none. */
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

/** Returns the `Set-Cookie` value that binds a client to the instance with this affinity key. */
export function affinitySetCookie(key: string, isSecure: boolean): string {
  const attributes = `Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax`;
  return `${AFFINITY_COOKIE}=${key}; ${attributes}${isSecure ? '; Secure' : ''}`;
}
