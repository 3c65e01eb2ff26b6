import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FrontServerOptions } from '@berth/gateway';

type RequestHandler = FrontServerOptions['onRequest'];

/** The least that a client has to send of a body while the platform waits for it. */
export interface MinimumRate {
  readonly bytes: number;
  readonly windowMs: number;
}

/** 512 bytes a second over 30 s: slower than any link that is of use, and an upload that stalls for half a minute can be sent again. */
export const MINIMUM_RATE: MinimumRate = { bytes: 15_360, windowMs: 30_000 };

/**
 * Ends requests whose body comes more slowly than `rate`: 408 where nothing was answered yet, and the connection closes (in HTTP/2: the
 * stream). Time in which the platform is behind with reading doesn't count. Streams of one HTTP/2 connection are measured together.
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
    // What waits to be read was sent in time.
    if (request.complete || read >= bytes || request.readableLength > 0) return;
    clearInterval(timer);
    refuse(request, response, { bytes, windowMs });
  }, windowMs);
  timer.unref();
  const stop = () => clearInterval(timer);
  request.once('end', stop);
  request.once('close', stop);
  // From here on it is the front's to end a client that goes on sending.
  response.once('finish', stop);
}

function refuse(request: IncomingMessage, response: ServerResponse, { bytes, windowMs }: MinimumRate): void {
  const { end } = connectionOf(request);
  if (response.headersSent) {
    end();
    return;
  }
  const detail = `The request body came too slowly: less than ${bytes} bytes in ${windowMs / 1000} s. Send it again.`;
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

/** What a request's bytes are counted on, and what ends it. */
function connectionOf(request: IncomingMessage): { readonly socket: { readonly bytesRead: number }; end(): void } {
  const { stream } = request as { readonly stream?: Http2Stream };
  if (stream === undefined) return { socket: request.socket, end: () => void request.socket.destroySoon() };
  return { socket: stream.session?.socket ?? { bytesRead: 0 }, end: () => stream.close() };
}

/** What Node's compatibility layer has of the stream below a request of HTTP/2. */
interface Http2Stream {
  readonly session?: { readonly socket: { readonly bytesRead: number } };
  close(): void;
}
