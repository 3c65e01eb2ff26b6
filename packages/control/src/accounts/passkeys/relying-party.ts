import { isIP } from 'node:net';

/** Whom passkeys are for: they are made for one host, and good on one origin of it. Source: WebAuthn 3 section 4. */
export interface RelyingParty {
  /** Host of the console. */
  readonly id: string;
  readonly origin: string;
}

/**
 * The platform as passkeys know it; undefined where browsers have none: without TLS on another host than `localhost`, and
 * where the host is an address instead of a name. `baseUrl` is where the API is reached.
 */
export function findRelyingParty(baseUrl: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(baseUrl);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (protocol !== 'https:' && !isLocal) return undefined;
  // Addresses of IPv6 have brackets in URLs.
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return undefined;
  return { id: hostname, origin };
}
