import { isIP } from 'node:net';

/** Whom passkeys are for: they are made for one host, and good on the platform's own origins. Source: WebAuthn 3 section 4. */
export interface RelyingParty {
  /** Host of the platform's own address. */
  readonly id: string;
  /** That address, and the others at which the console is. */
  readonly origins: readonly string[];
}

/**
 * The platform as passkeys know it; undefined where browsers have none: without TLS on another host than `localhost`, and
 * where the host is an address instead of a name. `baseUrl` is where the API is reached; `otherHosts` have the console too.
 */
export function findRelyingParty(baseUrl: string, otherHosts: readonly string[] = []): RelyingParty | undefined {
  const { protocol, hostname, host, origin } = new URL(baseUrl);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (protocol !== 'https:' && !isLocal) return undefined;
  // Addresses of IPv6 have brackets in URLs.
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return undefined;
  const originOf = (name: string) => `${protocol}//${name}${host.slice(hostname.length)}`;
  return { id: hostname, origins: [origin, ...otherHosts.map(originOf)] };
}
