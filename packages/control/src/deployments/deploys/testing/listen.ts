import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Api } from '@berth/accounts';
import { getRequestListener } from '@hono/node-server';

/** The API on a real port of loopback. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
  /** A connection under the test's full control. */
  connect(): Promise<RawClient>;
}

export interface RawClient extends Disposable {
  readonly socket: Socket;
  /** Resolves when the bytes are with the system, or the connection has ended. */
  send(bytes: string | Buffer): Promise<void>;
  /** Everything received so far. */
  readonly received: string;
  /** Whether the other side has ended or reset the connection. */
  readonly end: Promise<'ended' | 'reset'>;
}

export async function listen(api: Api): Promise<Listening> {
  const listener = getRequestListener(api.fetch, { overrideGlobalObjects: false });
  const server = createServer({ requestTimeout: 0 }, (request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async connect() {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      let received = '';
      let isReset = false;
      socket.setEncoding('latin1');
      socket.on('data', (text: string) => {
        received += text;
      });
      socket.on('error', () => {
        isReset = true;
      });
      const end = once(socket, 'close').then(() => (isReset ? 'reset' : 'ended') as 'ended' | 'reset');
      return {
        socket,
        end,
        get received() {
          return received;
        },
        send: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
        [Symbol.dispose]: () => void socket.destroy(),
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
