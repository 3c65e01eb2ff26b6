import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody, http2Stream } from '../proxy/request-body.ts';

/**
 * Ends a request that is answered before its body is complete. The rest of the body is read and dropped for up to `lingerMs`, so that
 * the client sees the answer; then the stream or connection is closed. Applies to every handler's answers.
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
