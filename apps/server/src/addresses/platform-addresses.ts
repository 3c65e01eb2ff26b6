import { isIP } from 'node:net';
import type { Config } from '../config/read-config.ts';
import { createServiceAddresses, type ServiceAddresses } from './service-address.ts';

/** On a domain of the operator's, addresses are printed as a proxy in front serves them. */
const DEFAULT_PUBLIC_PORTS = { http: 80, https: 443 } as const;

/**
 * The API as programs of this machine reach it, whether or not the platform's domain resolves; `host` is the setting that the
 * listener was opened with.
 */
export function localApiUrl(host: string, listenPort: number): string {
  if (isIP(host) === 0 || host === '0.0.0.0' || host === '::') return `http://localhost:${listenPort}`;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${listenPort}`;
}

/** The addresses of this platform: as its settings say, else as it listens. `domainTable` is read at each request. */
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
