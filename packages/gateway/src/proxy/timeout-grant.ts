import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The header with which the platform gives one of its own requests a different timeout than the service's. The gateway never forwards
 * this header, and ignores a value that the platform did not sign.
 */
export const TIMEOUT_HEADER = 'berth-timeout';

/** The content of a signed timeout. */
export interface TimeoutGrant {
  readonly deployment: string;
  readonly timeoutMs: number;
  /** Wall-clock time until which the request may arrive, so that a leaked value soon becomes useless. */
  readonly expiresAtMs: number;
}

/** Returns the value of {@link TIMEOUT_HEADER}, signed with the gateway's secret. */
export function signTimeout(secret: string | Uint8Array, grant: TimeoutGrant): string {
  return `${grant.timeoutMs}.${grant.expiresAtMs}.${signature(secret, grant).toString('base64url')}`;
}

/** Returns the timeout in milliseconds that a header's value grants; undefined when it is invalid or expired. */
export function readTimeout(
  secret: string | Uint8Array,
  value: string | readonly string[],
  deployment: string,
  nowMs: number,
): number | undefined {
  const match = /^(\d{1,10})\.(\d{1,16})\.([\w-]{43})$/.exec(String(value));
  if (!match?.[1] || !match[2] || !match[3]) return undefined;
  const grant = { deployment, timeoutMs: Number(match[1]), expiresAtMs: Number(match[2]) };
  if (!timingSafeEqual(signature(secret, grant), Buffer.from(match[3], 'base64url'))) return undefined;
  return nowMs <= grant.expiresAtMs ? grant.timeoutMs : undefined;
}

function signature(secret: string | Uint8Array, { deployment, timeoutMs, expiresAtMs }: TimeoutGrant): Buffer {
  // The prefix separates these signatures from others that use the same secret.
  const signed = ['timeout', deployment, timeoutMs, expiresAtMs].join('\n');
  return createHmac('sha256', secret).update(signed).digest();
}
