import type { Connector } from '../connector/connector.ts';
import type { HeldCredential } from '../connector/grants.ts';
import { isDeclaredEndpoint } from '../declare/endpoint-rule.ts';

/** Whether a call may be tried with it: false when only connecting again helps. */
export function isLive(
  { credential, isRejected }: HeldCredential,
  { auth, api }: Pick<Connector, 'auth' | 'api'>,
  nowMs: number,
): boolean {
  if (isRejected) return false;
  if (credential.type === 'oauth') {
    const { expiresAtMs = Number.POSITIVE_INFINITY, refreshToken } = credential;
    return auth.type === 'oauth' && (refreshToken !== undefined || nowMs < expiresAtMs);
  }
  // The owner may have declared it otherwise since it was kept.
  if (auth.type !== 'key') return false;
  const { endpoint } = credential;
  if (endpoint === undefined) return auth.endpoint === undefined || api !== undefined;
  return auth.endpoint !== undefined && isDeclaredEndpoint(new URL(endpoint), auth.endpoint);
}
