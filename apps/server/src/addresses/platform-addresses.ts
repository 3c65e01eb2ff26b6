import { isIP } from 'node:net';
import type { Config } from '../config/read-config.ts';
import { createServiceAddresses, type ServiceAddresses } from './service-address.ts';

/** On the operator's own domain, printed addresses assume a proxy in front on the standard ports. */
const DEFAULT_PUBLIC_PORTS = { http: 80, https: 443 } as const;

/**
 * Returns the base URL of the API for programs on this machine. It works whether or not the platform's domain resolves.
 * @param host the setting that the listener was opened with
 */
export function localApiUrl(host: string, listenPort: number): string {
  if (isIP(host) === 0 || host === '0.0.0.0' || host === '::') return `http://localhost:${listenPort}`;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${listenPort}`;
}

/** Creates the addresses of this platform from its settings, or from its port where they are silent. `domainTable` is read on each request. */
export function createPlatformAddresses(
  config: Pick<Config, 'domain' | 'publicScheme' | 'publicPort'>,
  listenPort: number,
  domainTable: ReadonlyMap<string, string>,
): ServiceAddresses {
  const isLocal = config.domain === 'localhost';
  const scheme = config.publicScheme ?? (isLocal ? 'http' : 'https');
  return createServiceAddresses({
    domain: config.domain,
    scheme,
    port: config.publicPort ?? (isLocal ? listenPort : DEFAULT_PUBLIC_PORTS[scheme]),
    findCustomDomain: (host) => domainTable.get(host),
  });
}
