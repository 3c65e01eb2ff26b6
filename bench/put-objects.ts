import { connect, type Socket } from 'node:net';

/** Options of {@link putObjects}. */
export interface PutObjectsOptions {
  /** URLs of one host on loopback, each put once. */
  readonly urls: readonly string[];
  readonly body: Uint8Array;
  readonly connections: number;
}

/**
 * Puts the same bytes to every URL over keep-alive connections, and returns the seconds. Requests are written to sockets: a
 * client of HTTP would cost as much as the server.
 * @throws Error when an answer is not 2xx
 */
export async function putObjects({ urls, body, connections }: PutObjectsOptions): Promise<number> {
  const { host, port } = new URL(urls[0] as string);
  const heads = urls.map((url) => {
    const { pathname, search } = new URL(url);
    return `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.byteLength}\r\n\r\n`;
  });
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(Number(port))));
  const startedMs = performance.now();
  let next = 0;
  await Promise.all(
    sockets.map(async (socket) => {
      while (next < heads.length) {
        const answer = answerOf(socket);
        socket.cork();
        socket.write(heads[next++] as string, 'latin1');
        socket.write(body);
        socket.uncork();
        await answer;
      }
    }),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const socket of sockets) socket.destroy();
  return seconds;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket)).once('error', reject);
  });
}

/** Resolves at the end of an answer's head. The answer to a PUT has no body. */
function answerOf(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onClose = () => reject(new Error(`the connection ended after: ${text}`));
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      socket.off('data', onData).off('close', onClose);
      if (/^HTTP\/1\.1 2/.test(text)) resolve();
      else reject(new Error(text));
    };
    socket.on('data', onData).once('close', onClose);
  });
}
