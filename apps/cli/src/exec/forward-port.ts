import { createServer, type Socket } from 'node:net';
import { credentialHeaders } from '@berth/client';
import type { TcpServerMessage } from '@berth/contract';
import { createError, type ErrorCode } from '@berth/contract/errors';
import { TCP_PROTOCOL } from '@berth/contract/exec-protocol';
import { type RawData, WebSocket } from 'ws';
import type { Target } from '../config/resolve-target.ts';
import { UsageError } from '../errors/usage-error.ts';
import { readRefusal } from './run-session.ts';

/** Options of {@link forwardPort}. */
export interface ForwardOptions {
  readonly target: Pick<Target, 'baseUrl' | 'credential'>;
  /** Path and query of the WebSocket that each connection gets. */
  readonly path: string;
  /** Port of this machine's loopback; 0: any free one. */
  readonly localPort: number;
  /** Called with the reason why a connection failed. */
  onError(error: Error): void;
}

/** A local port that leads to a port of an instance. */
export interface Forward extends AsyncDisposable {
  readonly localPort: number;
}

const HOST = '127.0.0.1';
/** Bytes on their way to the server, above which a local connection isn't read. */
const WINDOW_BYTES = 2 ** 18;
const MESSAGE_BYTES = 2 ** 15;

/** Listens on a local port. Disposing of it ends all connections. @throws UsageError when the port is taken */
export async function forwardPort({ target, path, localPort, onError }: ForwardOptions): Promise<Forward> {
  const over = new AbortController();
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (local) => {
    connect(target, path, local, over.signal).catch(onError);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(taken(error, localPort)));
    server.listen(localPort, HOST, resolve);
  });
  return {
    localPort: (server.address() as { readonly port: number }).port,
    async [Symbol.asyncDispose]() {
      over.abort();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function taken(error: NodeJS.ErrnoException, port: number): Error {
  const isKnown = error.code === 'EADDRINUSE' || error.code === 'EACCES';
  return isKnown ? new UsageError(`Port ${port} of this machine can't be used. Choose another: --local 0`) : error;
}

/** Carries one connection. Resolves when it has ended; rejects with the reason why it failed. */
async function connect(
  target: ForwardOptions['target'],
  path: string,
  local: Socket,
  signal: AbortSignal,
): Promise<void> {
  const socket = new WebSocket(`${target.baseUrl.replace(/^http/, 'ws')}${path}`, TCP_PROTOCOL, {
    headers: credentialHeaders(target.credential),
    perMessageDeflate: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isEnded = false;
  const forward = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length; at += MESSAGE_BYTES)
      socket.send(chunk.subarray(at, at + MESSAGE_BYTES), resume);
    if (socket.bufferedAmount > WINDOW_BYTES) local.pause();
  };
  const resume = (): void => {
    if (socket.bufferedAmount <= WINDOW_BYTES && local.isPaused()) local.resume();
  };
  const start = (): void => {
    local.on('data', forward);
    local.once('end', () => socket.send(JSON.stringify({ type: 'end' })));
    local.resume();
  };
  socket.on('message', (data: RawData, isBinary) => {
    if (isBinary) {
      if (local.destroyed || local.write(data as Buffer)) return;
      socket.pause();
      local.once('drain', () => socket.resume());
      return;
    }
    const message = JSON.parse(String(data)) as TcpServerMessage;
    if (message.type === 'open') start();
    else if (message.type === 'error') reject(createError(message.code as ErrorCode, message.message));
    else {
      isEnded = true;
      local.end();
    }
  });
  socket.on('error', (cause) => reject(createError('unavailable', `Can't reach ${target.baseUrl}.`, { cause })));
  socket.on('unexpected-response', async (_request, response) =>
    reject(await readRefusal(response, target.baseUrl + path)),
  );
  socket.on('close', () => {
    // What the program sent before its end is still on its way.
    if (isEnded) local.destroySoon();
    else local.resetAndDestroy();
    resolve();
  });
  local.on('error', () => {});
  const abort = (): void => {
    local.destroy();
    socket.terminate();
  };
  signal.addEventListener('abort', abort, { once: true });
  local.once('close', () => {
    // After both ends, the server closes when it has taken everything.
    if (!isEnded || !local.readableEnded) socket.terminate();
  });
  try {
    await promise;
  } catch (error) {
    local.resetAndDestroy();
    socket.terminate();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
