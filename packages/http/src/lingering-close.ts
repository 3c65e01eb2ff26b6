import type { IncomingMessage } from 'node:http';
import type { Clock } from '@berth/kit';
import type { AnyMiddleware } from './http-env.ts';

/** Maximum time for which an unread body is discarded. Source: nginx, lingering_time. */
const LINGER_MS = 30_000;
/** Maximum time without a byte of it. Source: nginx, lingering_timeout. */
const IDLE_MS = 5_000;
/** A smaller body fits into the socket's buffers, so the connection need not close. */
const SMALL_BODY_BYTES = 65_536;

/**
 * Returns middleware that lets a client read why its upload was refused. Closing a socket with unread bytes resets the
 * connection, and a client that is still sending loses the response. So the whole response goes out at once, with
 * `Connection: close`, and the connection closes when the client stops sending (RFC 9112, 9.6).
 */
export function lingeringClose({ clock }: { readonly clock: Clock }): AnyMiddleware {
  return async (c, next) => {
    await next();
    const { incoming } = (c.env ?? {}) as { readonly incoming?: IncomingMessage };
    if (!incoming || c.res.status < 400 || !isUploading(incoming)) return;
    const answer = new Uint8Array(await c.res.arrayBuffer());
    const headers = new Headers(c.res.headers);
    headers.set('Connection', 'close');
    headers.set('Content-Length', String(answer.length));
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(answer);
        await drain(incoming, clock);
        controller.close();
      },
    });
    c.res = new Response(body, { status: c.res.status, headers });
  };
}

function isUploading(incoming: IncomingMessage): boolean {
  // An HTTP/2 stream ends by itself after its response, without its connection.
  if (incoming.httpVersionMajor !== 1 || incoming.complete || incoming.destroyed) return false;
  // The client waits for permission to send, which it never got: no body comes.
  if (incoming.headers.expect?.toLowerCase() === '100-continue' && incoming.readableFlowing === null) return false;
  const length = incoming.headers['content-length'];
  return length === undefined ? incoming.headers['transfer-encoding'] !== undefined : Number(length) > SMALL_BODY_BYTES;
}

/** Discards what arrives, until it ends or takes too long. */
function drain(incoming: IncomingMessage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      end.cancel();
      idle.cancel();
      incoming.off('data', onData);
      for (const event of ['end', 'close', 'error']) incoming.off(event, finish);
      resolve();
    };
    const onData = () => {
      idle.cancel();
      idle = clock.setTimer(IDLE_MS, finish);
    };
    const end = clock.setTimer(LINGER_MS, finish);
    let idle = clock.setTimer(IDLE_MS, finish);
    for (const event of ['end', 'close', 'error']) incoming.once(event, finish);
    incoming.on('data', onData);
    incoming.resume();
  });
}
