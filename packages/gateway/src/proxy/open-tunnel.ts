import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@berth/kit';
import { filterResponseHeaders } from '../headers/filter-response-headers.ts';
import { headerLines } from '../headers/flat-headers.ts';
import type { Tunnel } from '../instances/serving-instance.ts';
import type { UpstreamResponse } from '../port/upstream.ts';
import { createTunnelDirection } from './tunnel-direction.ts';

/** Options of {@link openTunnel}. */
export interface TunnelOptions {
  readonly clock: Clock;
  /** Time from the close frames to the end of the connections. */
  readonly closeMs: number;
  readonly response: ServerResponse;
  readonly upgrade: { readonly protocol: string; readonly socket: Duplex; readonly takeEarlyBytes: () => Buffer };
  readonly upstreamResponse: UpstreamResponse;
  /** As for `filterResponseHeaders`. */
  readonly cookieHost: string | null;
  /** The gateway's own headers, flat. */
  readonly extraHeaders: readonly string[];
  readonly upstreamSocket: Duplex;
  readonly upstreamHead: Buffer;
  /** Called once, when the instance's side is closed; never from within {@link openTunnel}, like {@link onEnd}. */
  readonly onUpstreamEnd: () => void;
  /** Called once, when both sides are closed. */
  readonly onEnd: () => void;
}

/** A tunnel with its byte counts. */
export interface TunnelEnd extends Tunnel {
  readonly bytesFromClient: number;
  readonly bytesToClient: number;
}

/**
 * Sends the 101 to the client and connects the two sockets. Bytes pass unchanged. For a WebSocket the frame boundaries are tracked, so
 * that {@link Tunnel.close} can insert a close frame (1012) between two frames. For other protocols it ends both connections.
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
      // The last bytes of this side are still being written to the other side.
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
        // Skipped when a close frame was already seen: the closing handshake is under way.
        fromClient.close();
        toClient.close();
      }
      destroySoon();
    },
    destroy,
  };
}

/** Returns the head of the 101 response; latin1. */
function switchingHead({ upstreamResponse, cookieHost, extraHeaders, upgrade }: TunnelOptions): string {
  const headers = [...filterResponseHeaders(upstreamResponse.rawHeaders, cookieHost), ...extraHeaders];
  const begin = `HTTP/1.1 101 ${upstreamResponse.statusMessage}\r\nConnection: Upgrade\r\nUpgrade: ${upgrade.protocol}\r\n`;
  return `${begin}${headerLines(headers)}\r\n`;
}
