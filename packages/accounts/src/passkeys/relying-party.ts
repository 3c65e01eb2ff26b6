import { isIP } from 'node:net';

/** The relying party of passkeys: they belong to one host, and work on the platform's own origins. Source: WebAuthn 3 section 4. */
export interface RelyingParty {
  /** The host of the platform's own address. */
  readonly id: string;
  /** That address, and the other addresses of the console. */
  readonly origins: readonly string[];
}

/**
 * Returns the platform's relying party; undefined where browsers allow no passkeys: without TLS except on `localhost`, and
 * where the host is an IP address. `baseUrl` is the address of the API; `otherHosts` serve the console too.
 */
export function findRelyingParty(baseUrl: string, otherHosts: readonly string[] = []): RelyingParty | undefined {
  const { protocol, hostname, host, origin } = new URL(baseUrl);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (protocol !== 'https:' && !isLocal) return undefined;
  // An IPv6 address has brackets in a URL.
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return undefined;
  const originOf = (name: string) => `${protocol}//${name}${host.slice(hostname.length)}`;
  return { id: hostname, origins: [origin, ...otherHosts.map(originOf)] };
}
