import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A TCP connection under the test's full control: what an HTTP client would normalise is sent as it is. */
export interface RawConnection extends Disposable {
  readonly socket: Socket;
  send(bytes: string | Buffer): Promise<void>;
  /** Resolves with all bytes so far once they match `pattern`. */
  receive(pattern: RegExp, timeoutMs?: number): Promise<string>;
  /** Resolves with all bytes once the other side has closed. */
  receiveAll(timeoutMs?: number): Promise<string>;
}

export async function openRawConnection(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  let received = '';
  let isClosed = false;
  const wake = new Set<() => void>();
  const notify = () => {
    for (const one of wake) one();
  };
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    notify();
  });
  // A reset is one of the ways a server may end a connection; the test sees it as closed.
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    notify();
  });

  const until = (isDone: () => boolean, what: string, timeoutMs: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = () => {
        if (isDone()) finish(() => resolve(received));
        else if (isClosed) finish(() => reject(new Error(`closed before ${what}; received:\n${received}`)));
      };
      const timer = setTimeout(
        () => finish(() => reject(new Error(`no ${what} within ${timeoutMs} ms; received:\n${received}`))),
        timeoutMs,
      );
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        wake.delete(check);
        settle();
      };
      wake.add(check);
      check();
    });

  return {
    socket,
    send: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    receive: (pattern, timeoutMs = 20_000) => until(() => pattern.test(received), String(pattern), timeoutMs),
    receiveAll: (timeoutMs = 20_000) => until(() => isClosed, 'end', timeoutMs),
    [Symbol.dispose]: () => socket.destroy(),
  };
}
