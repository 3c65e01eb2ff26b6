import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { UpgradeClient } from './exchange.ts';

/** Bytes a client may send before its tunnel is open. */
const EARLY_BYTES_MAX = 65_536;

/** An accepted `Upgrade` request. */
export interface Upgrade {
  /** The response for any status other than 101. It closes the connection when it ends. */
  readonly response: ServerResponse;
  /** Null for an upgrade to h2c, which is ignored: the request is served over HTTP/1.1 (RFC 9113 section 3.1). */
  readonly client: UpgradeClient | null;
}

/** Takes over the socket of an `Upgrade` request, which Node has detached from its parser. */
export function acceptUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Upgrade {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.on('finish', () => (socket as Socket).destroySoon());
  socket.on('error', () => {});

  let early = head;
  // Without a reader, the end of the connection would not be noticed.
  const onData = (chunk: Buffer) => {
    early = Buffer.concat([early, chunk]);
    if (early.length > EARLY_BYTES_MAX) socket.pause();
  };
  const onEnd = () => void socket.destroy();
  socket.on('data', onData);
  socket.on('end', onEnd);

  const protocol = request.headers.upgrade ?? '';
  if (/(^|,)\s*h2c\s*(,|$)/i.test(protocol)) return { response, client: null };
  return {
    response,
    client: {
      protocol,
      socket,
      takeEarlyBytes() {
        socket.off('data', onData);
        socket.off('end', onEnd);
        return early;
      },
    },
  };
}
