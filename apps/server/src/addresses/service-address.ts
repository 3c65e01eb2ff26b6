import { isIP } from 'node:net';

/** How the outside reaches this server. */
export interface AddressOptions {
  readonly domain: string;
  readonly scheme: 'http' | 'https';
  /** The port in printed addresses. */
  readonly port: number;
  /** The deployment that a proven custom domain (lower case) leads to. */
  findCustomDomain?(host: string): string | undefined;
}

/** Builds addresses, and reads them back from `Host` headers. */
export interface ServiceAddresses {
  /** Host names of the platform's own. */
  readonly platformHosts: readonly string[];
  /** Those besides the API's at which the console is. */
  readonly consoleHosts: readonly string[];
  /** Base URL of the control plane, without a trailing slash. */
  readonly apiUrl: string;
  /** Base URL of objects on the public ports, without a trailing slash. */
  readonly storageUrl: string;
  /** `https://<name>.<domain>`, with the port when it isn't the scheme's own. */
  serviceUrl(name: string): string;
  /** What a host is for; a deployment's name is not checked to exist. */
  route(
    host: string | undefined,
  ): { readonly kind: 'api' | 'storage' | 'unknown' } | { readonly kind: 'service'; readonly name: string };
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const;
/** First labels that are the platform's own; the contract reserves them as deployment names. */
const PLATFORM_LABELS = new Set(['api', 'console']);
const STORAGE_LABEL = 'storage';

export function createServiceAddresses(options: AddressOptions): ServiceAddresses {
  const { domain, scheme, port, findCustomDomain } = options;
  const suffix = `.${domain.toLowerCase()}`;
  const shownPort = port === DEFAULT_PORTS[scheme] ? '' : `:${port}`;
  const apiHost = domain === 'localhost' ? 'localhost' : `api${suffix}`;
  return {
    platformHosts: [domain, apiHost, `console${suffix}`, `${STORAGE_LABEL}${suffix}`],
    consoleHosts: domain === 'localhost' ? [] : [`console${suffix}`, domain],
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

/** The host of a `Host` header in lower case: without its port and without a final dot. */
export function hostName(host: string | undefined): string | undefined {
  if (host === undefined || host === '') return undefined;
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  const name = (end <= 0 ? host : host.slice(0, end)).toLowerCase();
  return name.endsWith('.') ? name.slice(0, -1) : name;
}
