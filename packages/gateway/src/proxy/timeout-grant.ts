import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The header by which the platform gives a request of its own another timeout than the service's. It is read and ends
 * here; one that the platform did not sign is dropped like any other.
 */
export const TIMEOUT_HEADER = 'berth-timeout';

/** What a request may take. */
export interface TimeoutGrant {
  readonly deployment: string;
  readonly timeoutMs: number;
  /** Wall time until which the request may arrive: the value is of no use to who finds it later. */
  readonly expiresAtMs: number;
}

/** The value of {@link TIMEOUT_HEADER}, signed with the gateway's secret. */
export function signTimeout(secret: string | Uint8Array, grant: TimeoutGrant): string {
  return `${grant.timeoutMs}.${grant.expiresAtMs}.${signature(secret, grant).toString('base64url')}`;
}

/** The timeout that a header's value grants; undefined when it grants none. */
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
  // The purpose keeps it apart from what else the secret signs.
  const signed = ['timeout', deployment, timeoutMs, expiresAtMs].join('\n');
  return createHmac('sha256', secret).update(signed).digest();
}
