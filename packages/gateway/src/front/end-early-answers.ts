import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody, http2Stream } from '../proxy/request-body.ts';

/**
 * Ends a request whose answer is complete before its body is: what the client still sends is dropped, so that it sees the answer, for
 * `lingerMs` at most, however slowly it sends. Applies to whoever answers.
 */
export function endEarlyAnswers(request: IncomingMessage, response: ServerResponse, lingerMs: number): void {
  if (!hasBody(request)) return;
  response.once('finish', () => {
    if (request.complete) return;
    request.resume();
    const timer = setTimeout(() => {
      if (request.complete) return;
      // RFC 9113 section 8.1: a server that has answered may end a stream without an error.
      if (request.httpVersionMajor === 2) http2Stream(request)?.close(NO_ERROR);
      else request.socket.destroy();
    }, lingerMs);
    request.once('end', () => clearTimeout(timer));
    request.once('close', () => clearTimeout(timer));
  });
}

/** RFC 9113 section 7. */
const NO_ERROR = 0;
