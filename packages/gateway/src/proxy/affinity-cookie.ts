import { createHmac } from 'node:crypto';
import type { StickyCookie } from './sticky-cookie.ts';

/** Name of the session affinity cookie. */
export const AFFINITY_COOKIE: StickyCookie = 'berth_affinity';

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
