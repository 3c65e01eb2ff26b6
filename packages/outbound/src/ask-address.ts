import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { GuardedRequestOptions } from './guarded-request-options.ts';
import { OutboundError } from './outbound-error.ts';

const MAX_HEADER_BYTES = 16_384;
/** Idempotent methods. Source: RFC 9110 9.2.2. */
const REPEATABLE: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];
/** Methods that declare the length of a body even when they have none. Source: RFC 9110 8.6. */
const BODY_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH'];
/** Headers of the connection, not of the request. Source: RFC 9110 7.6.1. */
const CONNECTION_HEADERS: readonly string[] = [
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Sends the request to one address, and returns the head of the response. Nothing is sent before the remote address of
 * the connection was checked.
 * @throws OutboundError when the address is not allowed; the system's error when it can't be reached.
 */
export function askAddress(
  address: string,
  url: URL,
  options: GuardedRequestOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { isAllowed, body } = options;
    const outgoing = open(address, url, options, signal);
    let isSending = false;
    const judgeAndSend = (remote: string | undefined) => {
      try {
        if (!isAllowed(remote ?? '', url)) throw notPublic(url);
      } catch (error) {
        outgoing.destroy(error as Error);
        return;
      }
      isSending = true;
      if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
      // A failure of the body also fails the request, because the pipeline destroys it.
      else pipeline(body, outgoing).catch(reject);
    };
    outgoing.on('socket', (socket) => {
      if (!socket.connecting) judgeAndSend(socket.remoteAddress);
      else socket.once('connect', () => judgeAndSend(socket.remoteAddress));
    });
    outgoing.on('response', resolve);
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isOver = signal.aborted || error instanceof OutboundError;
      const canRepeat = body === undefined || body instanceof Uint8Array;
      // The server closed a kept-alive connection just as it was reused. Nothing was lost, so the request is retried on
      // another one.
      const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
      if (isStale && !isOver && canRepeat && REPEATABLE.includes(options.method ?? 'GET')) {
        resolve(askAddress(address, url, options, signal));
      } else if (isSending && !isOver) {
        // The server was reached: trying another address would send the request twice.
        reject(new OutboundError('unreachable', `${url.host} cannot be reached (${error.code ?? error.message}).`));
      } else reject(error);
    });
  });
}

function open(address: string, url: URL, options: GuardedRequestOptions, signal: AbortSignal): ClientRequest {
  const isTls = url.protocol === 'https:';
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const { connections, method = 'GET' } = options;
  try {
    return (isTls ? requestHttps : requestHttp)({
      host: address,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      method,
      path: url.pathname + url.search,
      // The name that the certificate is checked against; an IP address sends no server name.
      ...(isTls && isIP(name) === 0 && { servername: name }),
      headers: headersOf(url, options),
      agent: connections ? connections[isTls ? 'https' : 'http'] : false,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    });
  } catch {
    // The library's message names the header, and may contain a secret.
    throw new OutboundError('refused', `The request to ${url.host} has characters that HTTP does not allow.`);
  }
}

function headersOf(url: URL, { headers = {}, connections, ...rest }: GuardedRequestOptions): Record<string, string> {
  const sent: Record<string, string> = { 'user-agent': 'berth', accept: '*/*' };
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!CONNECTION_HEADERS.includes(lower)) sent[lower] = value;
  }
  return {
    ...framing(sent, rest),
    host: url.host,
    'accept-encoding': 'identity',
    ...(connections === undefined && { connection: 'close' }),
  };
}

/**
 * Returns the header that delimits the body. Node adds none for methods that usually have no body; the body would then
 * be read as the next request.
 */
function framing(
  { 'content-length': given, ...headers }: Record<string, string>,
  { body, method = 'GET' }: Pick<GuardedRequestOptions, 'body' | 'method'>,
): Record<string, string> {
  if (body === undefined) return headers;
  if (body instanceof Uint8Array) {
    if (body.byteLength === 0 && !BODY_METHODS.includes(method)) return headers;
    return { ...headers, 'content-length': String(body.byteLength) };
  }
  // Only the caller knows the length of a stream.
  return given === undefined ? { ...headers, 'transfer-encoding': 'chunked' } : { ...headers, 'content-length': given };
}

function notPublic(url: URL): OutboundError {
  return new OutboundError('refused', `${url.host} resolves to a non-public address.`);
}
