import { withoutPlatformCookies } from '../headers/cookie-guard.ts';
import { connectionTokens, isHopByHop } from '../headers/hop-by-hop.ts';
import { forwardedNode } from './client-address.ts';
import { TIMEOUT_HEADER } from './timeout-grant.ts';

/** What a request's headers are rewritten with. */
export interface RequestHeadersInput {
  /** Flat, as the client sent them. */
  readonly rawHeaders: readonly string[];
  readonly connection: string | undefined;
  /** The one that the request names. */
  readonly host: string;
  /** The other end of the socket. */
  readonly peerAddress: string;
  /** As the client used it, when a trusted proxy says so. */
  readonly proto: 'http' | 'https';
  readonly traceparent: string;
  /** The peer is a proxy of the operator's: what it says about the client's host and in `Forwarded` is kept. */
  readonly trustForwarded: boolean;
  /** It goes to a program of the platform's own, which is sent the platform's cookies too. */
  readonly isPlatform: boolean;
}

/**
 * Headers the gateway writes itself, or answers itself (`expect`), or frames itself (`content-length`); and `proxy`, which CGI programs
 * take for the setting `HTTP_PROXY` (CVE-2016-5385).
 */
const REPLACED = new Set([
  TIMEOUT_HEADER,
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
 * The headers that go to the instance: the client's, in their order and spelling, without those of its connection, and with where it
 * came from. `X-Forwarded-For` grows by the peer's address; `X-Forwarded-Proto`, `X-Forwarded-Host` and `Forwarded` are the gateway's own
 * word unless a trusted proxy spoke first.
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
      // The one transfer coding a proxy can promise: gRPC servers insist on seeing it.
      if (/(^|,)\s*trailers\s*(,|$)/i.test(value)) headers.push('TE', 'trailers');
    } else if (lower === 'cookie' && !named.has(lower)) {
      const cookie = input.isPlatform ? value : withoutPlatformCookies(value);
      if (cookie === '') continue;
      // HTTP/2 clients may send each cookie in a field of its own (RFC 9113 section 8.2.3); HTTP/1 allows one field.
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
 * True for a name such as `x_forwarded_for`, which CGI, WSGI and PHP programs can't tell from one that the gateway writes: to them, letters
 * and digits alone make the name (RFC 3875 section 4.1.18).
 */
function posesAsReplaced(lowerName: string): boolean {
  return /[^a-z0-9-]/.test(lowerName) && REPLACED.has(lowerName.replace(/[^a-z0-9]/g, '-'));
}

/** Pseudo-headers of HTTP/2 begin with it. */
const COLON = 0x3a;

function append(list: string, element: string): string {
  return list === '' ? element : `${list}, ${element}`;
}

/** A host is a token unless it has a port or is an IPv6 address (RFC 7239 section 4). */
function quoted(host: string): string {
  return /^[\w.-]+$/.test(host) ? host : `"${host.replace(/["\\]/g, '\\$&')}"`;
}
