import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers `Expect: 100-continue` when the body is first read, so that a client with a bad key is refused before its upload. Does
 * nothing without the header.
 */
export function continueOnRead(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect?.toLowerCase() !== '100-continue') return;
  // A refused client may send its body all the same (RFC 9110 section 10.1.1), so the connection can't be reused.
  response.shouldKeepAlive = false;
  const onListener = (event: string | symbol) => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', onListener);
    if (response.headersSent) return;
    response.shouldKeepAlive = true;
    response.writeContinue();
  };
  request.on('newListener', onListener);
}
