import { isIP } from 'node:net';
import type { Config } from '../config/read-config.ts';

/** How clients reach this server. */
export interface AddressOptions {
  readonly domain: string;
  readonly scheme: 'http' | 'https';
  /** The port in printed addresses. */
  readonly port: number;
  /** Finds the deployment of a verified custom domain (lower case). */
  findCustomDomain?(host: string): string | undefined;
}

/** Builds addresses and routes `Host` headers back to them. */
export interface ServiceAddresses {
  /** Host names of the platform itself. */
  readonly platformHosts: readonly string[];
  /** Host names of the console besides the API's. */
  readonly consoleHosts: readonly string[];
  /** Origins of the API and the console. */
  readonly ownOrigins: readonly string[];
  /** Base URL of the control plane, without a trailing slash. */
  readonly apiUrl: string;
  /** Base URL of signed object URLs on the public ports, without a trailing slash. */
  readonly storageUrl: string;
  /** Returns `https://<name>.<domain>`, with the port unless it is the scheme's default. */
  serviceUrl(name: string): string;
  /** Returns what a host is for. The deployment it names may not exist. */
  route(
    host: string | undefined,
  ): { readonly kind: 'api' | 'storage' | 'unknown' } | { readonly kind: 'service'; readonly name: string };
}

/** On the operator's own domain, printed addresses assume a proxy in front on these ports. */
const DEFAULT_PORTS = { http: 80, https: 443 } as const;
/** First labels of the platform's own hosts. The contract reserves them, so no deployment can have these names. */
const PLATFORM_LABELS = new Set(['api', 'console']);
const STORAGE_LABEL = 'storage';

/** Creates {@link ServiceAddresses}. */
export function createServiceAddresses(options: AddressOptions): ServiceAddresses {
  const { scheme, port, findCustomDomain } = options;
  const domain = options.domain.toLowerCase();
  const suffix = `.${domain}`;
  const shownPort = port === DEFAULT_PORTS[scheme] ? '' : `:${port}`;
  const apiHost = domain === 'localhost' ? 'localhost' : `api${suffix}`;
  const consoleHosts = domain === 'localhost' ? [] : [`console${suffix}`, domain];
  return {
    platformHosts: [domain, apiHost, `console${suffix}`, `${STORAGE_LABEL}${suffix}`],
    consoleHosts,
    ownOrigins: [apiHost, ...consoleHosts].map((host) => `${scheme}://${host}${shownPort}`),
    storageUrl: `${scheme}://${STORAGE_LABEL}${suffix}${shownPort}`,
    apiUrl: `${scheme}://${apiHost}${shownPort}`,
    serviceUrl: (name) => `${scheme}://${name}${suffix}${shownPort}`,
    route(host) {
      const name = hostName(host);
      if (name === undefined) return { kind: 'unknown' };
      if (name === domain || name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) > 0) return { kind: 'api' };
      if (!name.endsWith(suffix)) {
        const deployment = findCustomDomain?.(name);
        return deployment === undefined ? { kind: 'unknown' } : { kind: 'service', name: deployment };
      }
      const label = name.slice(0, -suffix.length);
      if (PLATFORM_LABELS.has(label)) return { kind: 'api' };
      if (label === STORAGE_LABEL) return { kind: 'storage' };
      return label.includes('.') || label === '' ? { kind: 'unknown' } : { kind: 'service', name: label };
    },
  };
}

/** Returns the host of a `Host` header in lower case, without port and trailing dot. */
export function hostName(host: string | undefined): string | undefined {
  if (host === undefined || host === '') return undefined;
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  const name = (end <= 0 ? host : host.slice(0, end)).toLowerCase();
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

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
    port: config.publicPort ?? (isLocal ? listenPort : DEFAULT_PORTS[scheme]),
    findCustomDomain: (host) => domainTable.get(host),
  });
}
