import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createError } from '@berth/contract';
import { ACCOUNT_HEADER } from '@berth/contract/headers';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { AnyContext } from './http-env.ts';

/** A WebSocket of a client. */
export interface MessageSocket {
  /** Sends a message, text or bytes. Resolves when the system has taken it, so that a slow client slows its sender down. Never rejects. */
  send(data: string | Uint8Array): Promise<void>;
  /** Receives messages one after another: the next one isn't read before the promise settles. Call it at once. */
  onMessage(listener: (data: string | Uint8Array) => void | Promise<void>): void;
  /** Called once, when either side has closed, or the client doesn't answer any more. */
  onClose(listener: () => void): void;
  close(code: number, reason: string): void;
}

/** Takes a connection over, after the handshake. */
export type AcceptSocket = (socket: MessageSocket) => void;

interface UpgradeBindings {
  upgrade?(protocol: string, accept: AcceptSocket): void;
}

/**
 * Makes the connection of a request a WebSocket with this subprotocol, once the handler's response is returned.
 * @throws BerthError `bad_request` when the request isn't the handshake of such a WebSocket.
 */
export function acceptSocket(c: AnyContext, protocol: string, accept: AcceptSocket): Response {
  const { upgrade } = (c.env ?? {}) as UpgradeBindings;
  if (!upgrade) throw createError('bad_request', `Connect with a WebSocket of the subprotocol ${protocol}.`);
  upgrade(protocol, accept);
  return c.body(null, 204);
}

/** Time between two questions whether a client is there. A proxy between may close a silent connection after a minute. */
const PING_MS = 20_000;
/** The same while the connection isn't read: only a failed write tells that the client has gone. */
const BLOCKED_PING_MS = 1_000;

/**
 * Returns a handler of `upgrade` events, which asks the API like any other request: its credentials, scopes and errors apply. Unless the
 * route accepts the WebSocket, the client gets the response.
 */
export function createUpgradeHandler(
  fetchApi: (request: Request, bindings: object) => Response | Promise<Response>,
  maxMessageBytes: number,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const server = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: maxMessageBytes },
    handleProtocols: (offered) => [...offered][0] ?? false,
  });
  const answer = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    let accepted: AcceptSocket | undefined;
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    const bindings: UpgradeBindings & object = {
      ...{ incoming: request },
      ...(request.headers.upgrade?.toLowerCase() === 'websocket' && {
        upgrade(protocol: string, accept: AcceptSocket) {
          if (offered[0] !== protocol) throw createError('bad_request', `Offer the subprotocol ${protocol}.`);
          accepted = accept;
        },
      }),
    };
    const response = await fetchApi(toRequest(request), bindings);
    if (accepted && response.status === 204) {
      const accept = accepted;
      server.handleUpgrade(request, socket, head, (webSocket) => accept(toMessageSocket(webSocket)));
    } else socket.end(await toBytes(response));
  };
  return (request, socket, head) => {
    socket.on('error', () => {});
    answer(request, socket, head).catch(() => socket.destroy());
  };
}

function toRequest({ headers, url = '/' }: IncomingMessage): Request {
  const target = new URL(url, 'http://api');
  const given = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one] as const),
  );
  const all = new Headers(given.map(([name, value]) => [name, value]));
  const account = target.searchParams.get('account');
  // Browsers send no headers of the page's choice with a WebSocket.
  if (account !== null && !all.has(ACCOUNT_HEADER)) all.set(ACCOUNT_HEADER, account);
  return new Request(target, { headers: all });
}

async function toBytes(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.set('Connection', 'close');
  headers.set('Content-Length', String(body.length));
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${response.status} ${response.statusText}\r\n${lines}\r\n`), body]);
}

function toMessageSocket(socket: WebSocket): MessageSocket {
  let isAlive = true;
  /** Messages that the listener hasn't taken yet. Meanwhile the connection isn't read, and no answer to a ping either. */
  let waiting = 0;
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('error', () => {});
  let silentMs = 0;
  const timer = setInterval(() => {
    silentMs += BLOCKED_PING_MS;
    if (waiting > 0) return socket.ping();
    if (silentMs < PING_MS) return;
    silentMs = 0;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, BLOCKED_PING_MS);
  socket.once('close', () => clearInterval(timer));
  return {
    send: (data) =>
      new Promise((resolve) => {
        if (socket.readyState === socket.OPEN) socket.send(data, () => resolve());
        else resolve();
      }),
    onMessage(listener) {
      let taken = Promise.resolve();
      socket.on('message', (data: RawData, isBinary: boolean) => {
        isAlive = true;
        waiting++;
        socket.pause();
        taken = taken
          .then(() => listener(isBinary ? toUint8Array(data) : String(data)))
          .catch(() => socket.terminate())
          .then(() => {
            waiting--;
            if (waiting === 0) socket.resume();
          });
      });
    },
    onClose: (listener) => void socket.once('close', listener),
    close: (code, reason) => socket.close(code, reason),
  };
}

function toUint8Array(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
