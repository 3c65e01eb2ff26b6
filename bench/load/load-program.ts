// A client in a process of its own: opens connections, then counts what the server does with them. Started by start-client.ts.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { MIXED } from '../services.ts';
import type { ClientJob } from './start-client.ts';

/** Starts counting; returns a function that returns the count so far. */
type Begin = () => () => number;

const OPENED_AT_ONCE = 50;
const HANDSHAKES_AT_ONCE = 16;

const job = JSON.parse(process.argv[2] as string) as ClientJob;
const KINDS: Readonly<Record<ClientJob['kind'], () => Promise<Begin>>> = {
  'new handshakes': () => openHandshakes(false),
  'resumed handshakes': () => openHandshakes(true),
  'idle connections': openIdle,
  'WebSocket messages': openSockets,
  events: openEvents,
};
const begin = await KINDS[job.kind]();
process.send?.({ ready: true });
process.on('message', ({ seconds }: { readonly seconds: number }) => {
  const count = begin();
  setTimeout(() => process.send?.({ count: count() }), seconds * 1_000);
});
process.on('disconnect', () => process.exit());

function head(method: string, target: string, ...more: readonly string[]): string {
  return `${[`${method} ${target} HTTP/1.1`, `Host: ${job.host}`, ...more].join('\r\n')}\r\n\r\n`;
}

/** Opens a connection and sends a request. Resolves with the connection and the first bytes of the response. */
async function open(request: string, status: number): Promise<{ readonly socket: Socket; readonly first: Buffer }> {
  const socket = connect({ port: job.port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  socket.write(request);
  const [first] = (await once(socket, 'data')) as [Buffer];
  if (!first.toString('latin1').startsWith(`HTTP/1.1 ${status}`)) throw new Error(`${job.kind}: ${first}`);
  socket.on('close', () => {
    throw new Error(`${job.kind}: the server closed a connection`);
  });
  return { socket, first };
}

async function openAll(
  request: string,
  status: number,
): Promise<{ readonly socket: Socket; readonly first: Buffer }[]> {
  const opened = [];
  while (opened.length < job.connections) {
    const count = Math.min(OPENED_AT_ONCE, job.connections - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: count }, () => open(request, status)))));
  }
  return opened;
}

async function openIdle(): Promise<Begin> {
  const opened = await openAll(head('GET', '/'), 200);
  return () => () => opened.length;
}

/** Each connection sends its next message when the last one has come back. */
async function openSockets(): Promise<Begin> {
  const key = randomBytes(16).toString('base64');
  const upgrade = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
  ];
  const opened = await openAll(head('GET', '/socket', ...upgrade), 101);
  const { socketMessage } = MIXED;
  // Masked with zero, so the payload can be sent as it is.
  const frame = Buffer.concat([
    Buffer.from([0x81, 0x80 | socketMessage, 0, 0, 0, 0]),
    Buffer.alloc(socketMessage, 'x'),
  ]);
  let count = 0;
  for (const { socket } of opened) {
    let pending = 0;
    socket.on('data', (chunk) => {
      for (pending += chunk.length; pending >= socketMessage + 2; pending -= socketMessage + 2) {
        count++;
        socket.write(frame);
      }
    });
  }
  for (const { socket } of opened) socket.write(frame);
  return () => {
    const before = count;
    return () => count - before;
  };
}

async function openEvents(): Promise<Begin> {
  const opened = await openAll(head('GET', '/events'), 200);
  let count = 0;
  for (const { socket } of opened)
    socket.on('data', (chunk) => {
      // Each event has one of these.
      for (let at = chunk.indexOf('~'); at >= 0; at = chunk.indexOf('~', at + 1)) count++;
    });
  return () => {
    const before = count;
    return () => count - before;
  };
}

/** Each connection is a handshake, a request and the end of the connection. */
async function openHandshakes(isResumed: boolean): Promise<Begin> {
  const request = head('GET', '/', 'Connection: close');
  let session: Buffer | undefined;
  const exchange = async (): Promise<void> => {
    const resumes = isResumed && session !== undefined;
    const socket: TLSSocket = connectTls({
      ...{ port: job.port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false },
      ...(resumes && { session }),
    });
    if (!resumes) socket.on('session', (ticket: Buffer) => (session = ticket));
    let isReused = false;
    socket.once('secureConnect', () => (isReused = socket.isSessionReused()));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.write(request);
    await once(socket, 'close');
    if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`${job.kind}: ${answer}`);
    if (resumes && !isReused) throw new Error('the server did not resume the session');
  };
  await exchange();
  return () => {
    let count = 0;
    let isOver = false;
    const run = async () => {
      while (!isOver) {
        await exchange();
        count++;
      }
    };
    for (let index = 0; index < HANDSHAKES_AT_ONCE; index++) void run();
    return () => {
      isOver = true;
      return count;
    };
  };
}
