import type { IncomingMessage } from 'node:http';
import { TIMEOUT_HEADER } from '@berth/gateway';
import type { ProxyTrust } from '@berth/kit/node';
import { hostName, type ServiceAddresses } from '../addresses/service-address.ts';
import type { Config } from '../config/read-config.ts';

/** Returns the address that a request without TLS is redirected to; undefined for none. */
export type HttpsRedirect = (request: IncomingMessage, host: string | undefined) => string | undefined;

/** Options of {@link createHttpsRedirect}. */
export interface HttpsRedirectOptions {
  /** The TLS port as clients reach it. */
  readonly port: number;
  /** Returns true when there is a certificate for `host`. */
  hasCertificate(host: string): boolean;
  readonly proxies: ProxyTrust;
}

/** Creates the redirect from HTTP to HTTPS for hosts that have a certificate. */
export function createHttpsRedirect({ port, hasCertificate, proxies }: HttpsRedirectOptions): HttpsRedirect {
  const shownPort = port === HTTPS_PORT ? '' : `:${port}`;
  return (request, host) => {
    const name = hostName(host);
    // The platform's own scheduled calls come over the plain port and don't follow redirects. Any other client that sends the
    // header only forgoes the redirect.
    if (request.headers[TIMEOUT_HEADER] !== undefined) return undefined;
    if (name === undefined || isSecure(request, proxies) || !hasCertificate(name)) return undefined;
    const target = request.url ?? '/';
    return `https://${name}${shownPort}${target.startsWith('/') ? target : '/'}`;
  };
}

/** Creates the redirect from the settings; undefined when it is turned off. */
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

/** Returns the port of an HTTPS address; undefined for HTTP. */
function publicHttpsPort(url: string): number | undefined {
  const { protocol, port } = new URL(url);
  return protocol === 'https:' ? Number(port || HTTPS_PORT) : undefined;
}

/** Returns true when TLS ends here, or at a trusted proxy that says so. */
function isSecure({ socket, headers }: IncomingMessage, proxies: ProxyTrust): boolean {
  if ((socket as { readonly encrypted?: boolean }).encrypted === true) return true;
  return headers['x-forwarded-proto'] === 'https' && proxies.isTrusted(socket.remoteAddress ?? '');
}
