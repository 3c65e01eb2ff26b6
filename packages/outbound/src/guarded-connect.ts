import { connect, type Socket } from 'node:net';
import { judgedAddresses, MAX_ADDRESSES } from './guarded-request.ts';
import type { GuardedRequestOptions } from './guarded-request-options.ts';
import { OutboundError } from './outbound-error.ts';

/** Options of {@link guardedConnect}. */
export interface GuardedConnectOptions extends Pick<GuardedRequestOptions, 'resolve' | 'isAllowed'> {
  readonly url: URL;
  /** Used when the URL has none. */
  readonly defaultPort: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a TCP connection to the host of a URL, for a protocol other than HTTP, by the rules of `guardedRequest`.
 * @throws OutboundError, and the signal's reason
 */
export async function guardedConnect(options: GuardedConnectOptions): Promise<Socket> {
  const { url, defaultPort, isAllowed, timeoutMs, signal } = options;
  const port = url.port === '' ? defaultPort : Number(url.port);
  let reason = '';
  for (const host of (await judgedAddresses(url, options)).slice(0, MAX_ADDRESSES)) {
    signal?.throwIfAborted();
    const socket = connect({ host, port });
    const failure = await opened(socket, timeoutMs, signal);
    if (failure === undefined) {
      if (isAllowed(socket.remoteAddress ?? '', url)) return socket;
      reason = 'not allowed';
    } else reason = failure;
    socket.destroy();
  }
  signal?.throwIfAborted();
  throw new OutboundError('unreachable', `${url.host} cannot be reached (${reason}).`);
}

/** Resolves when the socket is connected; with the reason when it isn't. */
function opened(socket: Socket, timeoutMs: number, signal: AbortSignal | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('timeout'), timeoutMs);
    const abort = () => resolve('aborted');
    signal?.addEventListener('abort', abort, { once: true });
    const settle = (reason?: string) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(reason);
    };
    socket.once('connect', () => settle());
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  });
}
