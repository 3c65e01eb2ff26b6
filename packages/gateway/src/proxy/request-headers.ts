import { REPLACED_HEADER } from '@berth/contract/busy';
import { withoutPlatformCookies } from '../headers/cookie-guard.ts';
import { connectionTokens, isHopByHop } from '../headers/hop-by-hop.ts';
import { TIMEOUT_HEADER } from './timeout-grant.ts';

/** Input of {@link buildRequestHeaders}. */
export interface RequestHeadersInput {
  /** The headers as the client sent them, flat. */
  readonly rawHeaders: readonly string[];
  readonly connection: string | undefined;
  /** The host that the request names. */
  readonly host: string;
  /** IP address of the other end of the socket. */
  readonly peerAddress: string;
  /** The scheme that the client used: as a trusted proxy reports it, else that of the connection. */
  readonly proto: 'http' | 'https';
  readonly traceparent: string;
  /** The peer is a trusted proxy, whose `X-Forwarded-Host` and `Forwarded` are kept. */
  readonly trustForwarded: boolean;
  /** The request goes to a program of the platform, which also gets the platform's cookies. */
  readonly isPlatform: boolean;
}

/**
 * Headers of the client that are not forwarded as they are: the gateway writes them, answers them (`expect`) or sets them by its own
 * framing (`content-length`). `proxy` is dropped because CGI programs read it as `HTTP_PROXY` (CVE-2016-5385).
 */
const REPLACED = new Set([
  TIMEOUT_HEADER,
  REPLACED_HEADER.toLowerCase(),
  'content-length',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'proxy',
  'traceparent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

/**
 * Returns the headers for the instance: the client's, in their order and spelling, without hop-by-hop headers, and with forwarding
 * headers. The peer's address is appended to `X-Forwarded-For`. The gateway sets `X-Forwarded-Proto`, `X-Forwarded-Host` and `Forwarded`
 * itself, and keeps the values of a trusted proxy.
 */
export function buildRequestHeaders(input: RequestHeadersInput): string[] {
  const { rawHeaders, host } = input;
  const named = connectionTokens(input.connection);
  const headers: string[] = ['Host', host];
  let forwardedFor = '';
  let forwarded = '';
  let forwardedHost = '';
  let cookieAt = -1;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    const value = rawHeaders[i + 1]!;
    const lower = name.toLowerCase();
    if (REPLACED.has(lower)) {
      if (lower === 'x-forwarded-for') forwardedFor = append(forwardedFor, value);
      else if (lower === 'forwarded') forwarded = append(forwarded, value);
      else if (lower === 'x-forwarded-host') forwardedHost = value;
    } else if (lower === 'te') {
      // `trailers` is the only value that a proxy can forward, and gRPC servers require it.
      if (/(^|,)\s*trailers\s*(,|$)/i.test(value)) headers.push('TE', 'trailers');
    } else if (lower === 'cookie' && !named.has(lower)) {
      const cookie = input.isPlatform ? value : withoutPlatformCookies(value);
      if (cookie === '') continue;
      // HTTP/2 clients may split cookies over several fields (RFC 9113 section 8.2.3); HTTP/1 allows one field.
      if (cookieAt >= 0) headers[cookieAt] += `; ${cookie}`;
      else cookieAt = headers.push(name, cookie) - 1;
    } else if (!isHopByHop(lower) && !named.has(lower) && lower.charCodeAt(0) !== COLON && !posesAsReplaced(lower)) {
      headers.push(name, value);
    }
  }
  const { peerAddress, proto, trustForwarded } = input;
  const own = `for=${forwardedNode(peerAddress)};host=${quoted(host)};proto=${proto}`;
  headers.push(
    'X-Forwarded-For',
    append(forwardedFor, peerAddress === '' ? 'unknown' : peerAddress),
    'X-Forwarded-Proto',
    proto,
    'X-Forwarded-Host',
    trustForwarded && forwardedHost !== '' ? forwardedHost : host,
    'Forwarded',
    trustForwarded ? append(forwarded, own) : own,
    'traceparent',
    input.traceparent,
  );
  return headers;
}

/**
 * Returns true for a name such as `x_forwarded_for`. CGI, WSGI and PHP programs cannot tell it from a header that the gateway writes,
 * because they compare only letters and digits (RFC 3875 section 4.1.18).
 */
function posesAsReplaced(lowerName: string): boolean {
  return /[^a-z0-9-]/.test(lowerName) && REPLACED.has(lowerName.replace(/[^a-z0-9]/g, '-'));
}

/** First character of an HTTP/2 pseudo-header. */
const COLON = 0x3a;

function append(list: string, element: string): string {
  return list === '' ? element : `${list}, ${element}`;
}

/** Quotes a host unless it is a token. A host with a port and an IPv6 address are not tokens (RFC 7239 section 4). */
function quoted(host: string): string {
  return /^[\w.-]+$/.test(host) ? host : `"${host.replace(/["\\]/g, '\\$&')}"`;
}

/** Formats an address as a node of `Forwarded` (RFC 7239 section 6): IPv6 in brackets and quotes, `unknown` when empty. */
export function forwardedNode(address: string): string {
  if (address === '') return 'unknown';
  return address.includes(':') ? `"[${address}]"` : address;
}
