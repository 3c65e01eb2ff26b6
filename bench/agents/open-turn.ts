import { connect, type Socket } from 'node:net';
import { nowMicros } from './pace.ts';

/** What is asked of a server that answers with events. */
export interface OpenTurn {
  readonly url: string;
  readonly token?: string;
  readonly body: object;
  /** Told of each `data:` of the answer, with the `id:` before it, and when it came, of {@link nowMicros}. */
  onEvent(data: string, id: string | undefined, atMicros: number): void;
}

/** A turn that is under way. */
export interface TurnSocket {
  readonly socket: Socket;
  /** Resolves when the server has ended its answer. @throws Error for any status but 200, or when the line broke. */
  readonly ended: Promise<void>;
}

/**
 * A client that costs little, so that what is measured is the server: a socket of its own for each turn, and lines looked at
 * as they come. The answer is chunked; an event is one chunk of the answer or several in one, never part of two.
 */
export function openTurn({ url, token, body, onEvent }: OpenTurn): TurnSocket {
  const { hostname, port, pathname, search } = new URL(url);
  const json = JSON.stringify(body);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.setEncoding('latin1');
  const head = [
    `POST ${pathname}${search} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(json)}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${json}`);
  const ended = Promise.withResolvers<void>();
  let rest = '';
  let id: string | undefined;
  let status: string | undefined;
  let isWhole = false;
  const take = (line: string, atMicros: number) => {
    if (status === undefined) status = line;
    else if (line === '0') {
      // The last chunk. Some servers leave the connection open for more, though none was asked for.
      isWhole = true;
      socket.end();
    } else if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) {
      onEvent(line.slice(6), id, atMicros);
      id = undefined;
    }
  };
  socket.on('data', (chunk: string) => {
    const atMicros = nowMicros();
    const text = rest + chunk;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      take(text.slice(start, text[end - 1] === '\r' ? end - 1 : end), atMicros);
      start = end + 1;
    }
    rest = text.slice(start);
  });
  socket.on('error', (error) => ended.reject(error));
  socket.on('close', () => {
    if (isWhole && status?.startsWith('HTTP/1.1 200') === true) ended.resolve();
    else ended.reject(new Error(`${url} answered ${status ?? 'nothing'}: ${rest}`));
  });
  return { socket, ended: ended.promise };
}
