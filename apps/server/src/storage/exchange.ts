import type { IncomingMessage, ServerResponse } from 'node:http';
import { createError } from '@berth/contract';
import { BerthError, type Clock, describeError, type Logger } from '@berth/kit';

/** A request of the storage listener and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A transfer without progress for this long is ended. */
export const IDLE_MS = 60_000;
/** How long the bytes of a refused client are read and discarded. Source: nginx, lingering_timeout. */
const LINGER_MS = 5_000;

/**
 * Responds with an error as the API does, `{"detail"}`. The bytes of a client that is still sending are discarded for a while so that it
 * can read the response: closing a connection with unread bytes resets it (RFC 9112 section 9.6).
 */
export function answerError(exchange: Exchange, thrown: unknown): void {
  const { request, response } = exchange;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = renderError(exchange, thrown);
  const isHttp1 = request.httpVersionMajor === 1;
  const isSending = isHttp1 && !request.complete && !request.destroyed && request.method !== 'GET';
  response.statusCode = status;
  for (const [name, value] of headers) response.setHeader(name, value);
  if (isSending) response.setHeader('Connection', 'close');
  if (!isSending) {
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  response.write(body);
  drain(exchange, () => response.end());
}

/** Returns the response to a failed request, and logs an internal error. */
export function renderError({ logger, requestId }: Pick<Exchange, 'logger' | 'requestId'>, thrown: unknown) {
  const error = toBerthError(thrown);
  if (error.code === 'internal') logger.error({ requestId, error: describeError(thrown) }, 'a transfer failed');
  const text =
    error.code === 'internal'
      ? `Internal error. The platform's log has details under request ID ${requestId}.`
      : error.message;
  const body = JSON.stringify({ detail: text });
  const headers: [string, string][] = [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
  ];
  if (error.status === 405) headers.push(['Allow', String(error.details['allow'])]);
  if (error.status === 503) headers.push(['Retry-After', '5']);
  if (error.status === 416) headers.push(['Content-Range', `bytes */${String(error.details['sizeBytes'])}`]);
  return { status: error.status, headers, body };
}

function drain({ request, clock }: Exchange, done: () => void): void {
  const finish = () => {
    timer.cancel();
    done();
  };
  const timer = clock.setTimer(LINGER_MS, finish);
  request.once('end', finish).once('close', finish).once('error', finish);
  request.resume();
}

function toBerthError(thrown: unknown): BerthError {
  return BerthError.is(thrown) ? thrown : createError('internal', 'internal error', { cause: thrown });
}
