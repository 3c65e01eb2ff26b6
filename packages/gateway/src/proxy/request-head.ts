import type { IncomingMessage } from 'node:http';
import type { ProxyTrust } from '@berth/kit/node';
import { headerBytes } from '../headers/flat-headers.ts';
import { clientAddress } from './client-address.ts';
import { buildRequestHeaders } from './request-headers.ts';
import { parseTraceId, type TraceSource } from './trace-context.ts';

/** All that is read off a request's head, once. */
export interface RequestHead {
  /** Path and query, or `*`. */
  readonly path: string;
  readonly host: string;
  /** Whose cookies the answer may set, as for `filterResponseHeaders`. */
  readonly cookieHost: string | null;
  readonly proto: 'http' | 'https';
  /** Where it came from: the peer, or what trusted proxies say was before them. */
  readonly clientAddress: string;
  /** 32 hexadecimal digits. */
  readonly trace: string;
  /** What goes to the instance, flat. */
  readonly headers: readonly string[];
  /** Its size as it came, in HTTP/1 form. */
  readonly bytes: number;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
}

/** Reads the head of a request whose target is settled, and builds the one that goes to the instance. */
export function createRequestHead(
  request: IncomingMessage,
  {
    traces,
    proxies,
    isPlatform,
  }: { readonly traces: TraceSource; readonly proxies: ProxyTrust; readonly isPlatform: boolean },
): RequestHead {
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
    path: url,
    host,
    cookieHost: isPlatform ? null : host,
    proto,
    clientAddress: trustForwarded ? proxies.clientOf(address, headerText(headers['x-forwarded-for'])) : address,
    trace: sentTrace ?? traceparent.slice(TRACE_AT, TRACE_AT + TRACE_DIGITS),
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
    bytes: (request.method?.length ?? 0) + url.length + REQUEST_LINE_OVERHEAD_BYTES + headerBytes(rawHeaders),
    expectsContinue: headers.expect?.toLowerCase() === '100-continue',
  };
}

/** What a trusted proxy says; undefined when that is no scheme of ours. */
function forwardedProto(value: string | string[] | undefined): 'http' | 'https' | undefined {
  const proto = headerText(value).toLowerCase();
  return proto === 'http' || proto === 'https' ? proto : undefined;
}

/** Where the trace id lies in a `traceparent`. */
const TRACE_AT = 3;
const TRACE_DIGITS = 32;
/** Two blanks, `HTTP/1.1`, and the line ends of the first line and of the head. */
const REQUEST_LINE_OVERHEAD_BYTES = 14;

function headerText(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
