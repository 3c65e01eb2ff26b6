import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Gives a client that sent `Expect: 100-continue` leave to send its body when somebody begins to read it, and not
 * before: one with a bad key is answered without its upload. Without the header it does nothing.
 */
export function continueOnRead(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect?.toLowerCase() !== '100-continue') return;
  // Nothing tells whether a client that was refused sends its body all the same (RFC 9110 10.1.1).
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
