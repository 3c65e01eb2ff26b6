import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@berth/kit';
import { filterResponseHeaders } from '../headers/filter-response-headers.ts';
import type { Tunnel } from '../instances/serving-instance.ts';
import type { UpstreamResponse } from '../port/upstream.ts';
import { createTunnelDirection } from './tunnel-direction.ts';

/** What a tunnel is opened between. */
export interface TunnelOptions {
  readonly clock: Clock;
  /** From the close frames to the end of the connections. */
  readonly closeMs: number;
  readonly response: ServerResponse;
  readonly upgrade: { readonly protocol: string; readonly socket: Duplex; readonly takeEarlyBytes: () => Buffer };
  readonly upstreamResponse: UpstreamResponse;
  /** As for `filterResponseHeaders`. */
  readonly cookieHost: string | null;
  /** Headers of the gateway's own, flat. */
  readonly extraHeaders: readonly string[];
  readonly upstreamSocket: Duplex;
  readonly upstreamHead: Buffer;
  /** The instance's side is closed. Called once, as {@link onEnd} is, and never from within {@link openTunnel}. */
  readonly onUpstreamEnd: () => void;
  /** Both sides are closed. */
  readonly onEnd: () => void;
}

/** A tunnel with what passed through it. */
export interface TunnelEnd extends Tunnel {
  readonly bytesFromClient: number;
  readonly bytesToClient: number;
}

/**
 * Sends the 101 to the client and joins the two connections. Bytes pass as they are; of a WebSocket the frame ends are followed, so that
 * {@link Tunnel.close} can put a close frame (1012) between two frames. Other protocols have no such thing: they are ended.
 */
export function openTunnel(options: TunnelOptions): TunnelEnd {
  const { clock, upgrade, upstreamSocket } = options;
  const client = upgrade.socket;
  const isWebSocket = upgrade.protocol.toLowerCase() === 'websocket';
  let closeTimer: Timer | null = null;
  let open = 2;

  options.response.detachSocket(client as never);
  const head = switchingHead(options);
  client.write(head, 'latin1');

  const fromClient = createTunnelDirection({ from: client, to: upstreamSocket, isWebSocket, isToServer: true });
  const toClient = createTunnelDirection({ from: upstreamSocket, to: client, isWebSocket, isToServer: false });

  const destroy = () => {
    client.destroy();
    upstreamSocket.destroy();
  };
  const destroySoon = () => {
    closeTimer ??= clock.setTimer(options.closeMs, destroy);
  };
  const joinEnds = (socket: Duplex, other: Duplex) => {
    socket.on('error', () => {});
    socket.on('close', () => {
      // What this side said last is still on its way to the other.
      other.end();
      other.resume();
      destroySoon();
      if (socket === upstreamSocket) options.onUpstreamEnd();
      if (--open > 0) return;
      closeTimer?.cancel();
      options.onEnd();
    });
  };
  joinEnds(client, upstreamSocket);
  joinEnds(upstreamSocket, client);
  fromClient.push(upgrade.takeEarlyBytes());
  toClient.push(options.upstreamHead);
  fromClient.start();
  toClient.start();

  return {
    get bytesFromClient() {
      return fromClient.bytes;
    },
    get bytesToClient() {
      return head.length + toClient.bytes;
    },
    close() {
      if (!isWebSocket) {
        client.end();
        upstreamSocket.end();
      } else if (!fromClient.hasClosed && !toClient.hasClosed) {
        // Otherwise they are saying goodbye already.
        fromClient.close();
        toClient.close();
      }
      destroySoon();
    },
    destroy,
  };
}

/** The head that switches the client over; latin1. */
function switchingHead({ upstreamResponse, cookieHost, extraHeaders, upgrade }: TunnelOptions): string {
  const headers = [...filterResponseHeaders(upstreamResponse.rawHeaders, cookieHost), ...extraHeaders];
  let head = `HTTP/1.1 101 ${upstreamResponse.statusMessage}\r\nConnection: Upgrade\r\nUpgrade: ${upgrade.protocol}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${head}\r\n`;
}
