import type { IncomingMessage } from 'node:http';
import { TIMEOUT_HEADER } from '@berth/gateway';
import type { ProxyTrust } from '@berth/kit/node';
import { hostName, type ServiceAddresses } from '../addresses/service-address.ts';
import type { Config } from '../config/read-config.ts';

/** Where a request that came without TLS has to go; undefined: nowhere. */
export type HttpsRedirect = (request: IncomingMessage, host: string | undefined) => string | undefined;

export interface HttpsRedirectOptions {
  /** The port that clients reach TLS at. */
  readonly port: number;
  /** A client that asks for `https://<host>` is shown a certificate of that name. */
  hasCertificate(host: string): boolean;
  readonly proxies: ProxyTrust;
}

/** Sends what comes over plain HTTP, for a host that has a certificate, to the same address over HTTPS. */
export function createHttpsRedirect({ port, hasCertificate, proxies }: HttpsRedirectOptions): HttpsRedirect {
  const shownPort = port === HTTPS_PORT ? '' : `:${port}`;
  return (request, host) => {
    const name = hostName(host);
    // The platform's own calls of schedules come over the plain port of this machine, and follow nothing. Whoever else
    // sends the header only forgoes the redirect.
    if (request.headers[TIMEOUT_HEADER] !== undefined) return undefined;
    if (name === undefined || isSecure(request, proxies) || !hasCertificate(name)) return undefined;
    const target = request.url ?? '/';
    return `https://${name}${shownPort}${target.startsWith('/') ? target : '/'}`;
  };
}

/** The redirect as the settings have it: undefined when the operator wants none. */
export function createPlatformRedirect(
  config: Pick<Config, 'httpsRedirect' | 'tlsPort'>,
  {
    addresses,
    ...parts
  }: Omit<HttpsRedirectOptions, 'port'> & { readonly addresses: Pick<ServiceAddresses, 'apiUrl'> },
): HttpsRedirect | undefined {
  if (!config.httpsRedirect) return undefined;
  return createHttpsRedirect({ ...parts, port: publicHttpsPort(addresses.apiUrl) ?? config.tlsPort });
}

const HTTPS_PORT = 443;

/** The port of an address that Berth prints, when that is one of HTTPS. */
function publicHttpsPort(url: string): number | undefined {
  const { protocol, port } = new URL(url);
  return protocol === 'https:' ? Number(port || HTTPS_PORT) : undefined;
}

/** TLS ends here, or at a proxy of the operator's that says so. */
function isSecure({ socket, headers }: IncomingMessage, proxies: ProxyTrust): boolean {
  if ((socket as { readonly encrypted?: boolean }).encrypted === true) return true;
  return headers['x-forwarded-proto'] === 'https' && proxies.isTrusted(socket.remoteAddress ?? '');
}
