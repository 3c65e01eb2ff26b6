import type { Connector } from '../connector/connector.ts';
import type { HeldCredential } from '../connector/grants.ts';
import { isDeclaredEndpoint } from '../declare/endpoint-rule.ts';

/** Reports whether a call may use the credential; false when the user has to connect again. */
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
  // The owner may have changed the connector's declaration since the credential was stored.
  if (auth.type !== 'key') return false;
  const { endpoint } = credential;
  if (endpoint === undefined) return auth.endpoint === undefined || api !== undefined;
  return auth.endpoint !== undefined && isDeclaredEndpoint(new URL(endpoint), auth.endpoint);
}
