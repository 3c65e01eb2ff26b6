import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FrontServerOptions } from '@berth/gateway';

type RequestHandler = FrontServerOptions['onRequest'];

/** The minimum rate at which a client must send a body while the platform waits for it. */
export interface MinimumRate {
  readonly bytes: number;
  readonly windowMs: number;
}

/** 512 bytes per second over 30 s: slower than any usable link. An upload that stalls for longer can be sent again. */
export const MINIMUM_RATE: MinimumRate = { bytes: 15_360, windowMs: 30_000 };

/**
 * Wraps a handler so that requests whose body arrives more slowly than `rate` end: with 408 if nothing was sent yet, and with a closed
 * connection (in HTTP/2, stream). Time in which the platform itself reads slowly doesn't count. Streams of an HTTP/2 connection are
 * measured together.
 */
export function withMinimumRate(handle: RequestHandler, rate: MinimumRate = MINIMUM_RATE): RequestHandler {
  return (request, response) => {
    if (mayHaveBody(request)) watchRate(request, response, rate);
    handle(request, response);
  };
}

function watchRate(request: IncomingMessage, response: ServerResponse, { bytes, windowMs }: MinimumRate): void {
  const { socket } = connectionOf(request);
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const read = socket.bytesRead - before;
    before = socket.bytesRead;
    // Bytes that wait to be read arrived in time.
    if (request.complete || read >= bytes || request.readableLength > 0) return;
    clearInterval(timer);
    refuse(request, response, { bytes, windowMs });
  }, windowMs);
  timer.unref();
  const stop = () => clearInterval(timer);
  request.once('end', stop);
  request.once('close', stop);
  // After the response, the front server ends clients that keep sending.
  response.once('finish', stop);
}

function refuse(request: IncomingMessage, response: ServerResponse, { bytes, windowMs }: MinimumRate): void {
  const { end } = connectionOf(request);
  if (response.headersSent) {
    end();
    return;
  }
  const detail = `The request body arrived too slowly: less than ${bytes} bytes in ${windowMs / 1000} s. Send it again.`;
  if (request.httpVersionMajor < 2) response.setHeader('Connection', 'close');
  response.writeHead(408, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ detail }), end);
}

function mayHaveBody({ headers, httpVersionMajor, method }: IncomingMessage): boolean {
  if (headers['content-length'] !== undefined) return headers['content-length'] !== '0';
  return (
    headers['transfer-encoding'] !== undefined || (httpVersionMajor === 2 && method !== 'GET' && method !== 'HEAD')
  );
}

/** Returns the socket that counts a request's bytes, and a function that ends the request. */
function connectionOf(request: IncomingMessage): { readonly socket: { readonly bytesRead: number }; end(): void } {
  const { stream } = request as { readonly stream?: Http2Stream };
  if (stream === undefined) return { socket: request.socket, end: () => void request.socket.destroySoon() };
  return { socket: stream.session?.socket ?? { bytesRead: 0 }, end: () => stream.close() };
}

/** The stream below an HTTP/2 request, as Node's compatibility layer exposes it. */
interface Http2Stream {
  readonly session?: { readonly socket: { readonly bytesRead: number } };
  close(): void;
}
