import type { IncomingMessage } from 'node:http';
import type { Clock } from '@berth/kit';
import type { AnyMiddleware } from './http-env.ts';

/** A body that is left unread is thrown away for this long at most. Source: nginx, lingering_time. */
const LINGER_MS = 30_000;
/** And no longer than this after its last byte. Source: nginx, lingering_timeout. */
const IDLE_MS = 5_000;
/** What is smaller is on its way into the socket's buffers whatever is answered: the connection need not end. */
const SMALL_BODY_BYTES = 65_536;

/**
 * Lets a client read why its upload was refused before it was read. Closing a socket that has unread bytes resets the
 * connection, and with it the answer is lost to a client that is still sending. So the whole answer goes out at once,
 * saying that the connection ends, and the connection ends when the client stops sending (RFC 9112, 9.6).
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
  // A stream of HTTP/2 ends on its own, after its answer and without its connection.
  if (incoming.httpVersionMajor !== 1 || incoming.complete || incoming.destroyed) return false;
  // It waits for leave to send, which nobody gave: no body comes.
  if (incoming.headers.expect?.toLowerCase() === '100-continue' && incoming.readableFlowing === null) return false;
  const length = incoming.headers['content-length'];
  return length === undefined ? incoming.headers['transfer-encoding'] !== undefined : Number(length) > SMALL_BODY_BYTES;
}

/** Throws away what comes, until it ends or has taken too long. */
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
