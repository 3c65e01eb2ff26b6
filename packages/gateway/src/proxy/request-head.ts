import type { IncomingMessage } from 'node:http';
import { type ProxyTrust, plainAddress } from '@berth/kit/node';
import { headerBytes } from '../headers/flat-headers.ts';
import { buildRequestHeaders } from './request-headers.ts';
import { parseTraceId, type TraceSource } from './trace-context.ts';

/** The parts of a request's head that an exchange needs. */
export type RequestHead = ReturnType<typeof createRequestHead>;

/** Reads the head of a request after `settleTarget`, and builds the headers for the instance. */
export function createRequestHead(
  request: IncomingMessage,
  traces: TraceSource,
  proxies: ProxyTrust,
  isPlatform: boolean,
) {
  const { headers, rawHeaders, socket, url = '/' } = request;
  const host = headers.host ?? '';
  const isEncrypted = (socket as { readonly encrypted?: boolean }).encrypted === true;
  const address = clientAddress(socket.remoteAddress);
  const trustForwarded = proxies.isTrusted(address);
  const proto = (trustForwarded && forwardedProto(headers['x-forwarded-proto'])) || (isEncrypted ? 'https' : 'http');
  const sent = headerText(headers['traceparent']);
  const sentTrace = parseTraceId(sent);
  const traceparent = sentTrace === undefined ? traces.next() : sent;
  return {
    /** Path and query, or `*`. */
    path: url,
    host,
    /** The host whose cookies the response may set, as for `filterResponseHeaders`. */
    cookieHost: isPlatform ? null : host,
    proto,
    /** IP address of the client: the peer's, or the one that trusted proxies report. */
    clientAddress: trustForwarded ? proxies.clientOf(address, headerText(headers['x-forwarded-for'])) : address,
    /** Trace id: 32 hexadecimal digits. */
    trace: sentTrace ?? traceparent.slice(TRACE_AT, TRACE_AT + TRACE_DIGITS),
    /** Headers for the instance, flat. */
    headers: buildRequestHeaders({
      rawHeaders,
      connection: headers.connection,
      host,
      peerAddress: address,
      proto,
      traceparent,
      trustForwarded,
      isPlatform,
    }),
    /** Size of the received head in HTTP/1 form. */
    bytes: (request.method?.length ?? 0) + url.length + REQUEST_LINE_OVERHEAD_BYTES + headerBytes(rawHeaders),
    /** The client waits for `100 Continue` before it sends the body. */
    expectsContinue: headers.expect?.toLowerCase() === '100-continue',
  };
}

/** Returns the IP address of a client. An IPv4-mapped IPv6 address is returned as IPv4. Empty when the client has disconnected. */
export function clientAddress(remoteAddress: string | undefined): string {
  return remoteAddress === undefined ? '' : plainAddress(remoteAddress);
}

/** Returns the scheme that a trusted proxy reports; undefined unless it is `http` or `https`. */
function forwardedProto(value: string | string[] | undefined): 'http' | 'https' | undefined {
  const proto = headerText(value).toLowerCase();
  return proto === 'http' || proto === 'https' ? proto : undefined;
}

/** Offset of the trace id in a `traceparent`. */
const TRACE_AT = 3;
const TRACE_DIGITS = 32;
/** Two spaces, `HTTP/1.1`, and the line ends of the request line and of the head. */
const REQUEST_LINE_OVERHEAD_BYTES = 14;

function headerText(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
