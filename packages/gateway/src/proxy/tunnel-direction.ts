import type { Duplex } from 'node:stream';
import { closeFrame, FrameTracker, SERVICE_RESTART } from './websocket/frame-tracker.ts';

/** Options of {@link createTunnelDirection}. */
export interface TunnelDirectionOptions {
  readonly from: Duplex;
  readonly to: Duplex;
  readonly isWebSocket: boolean;
  /** Whether `to` is the server; frames to a server are masked. */
  readonly isToServer: boolean;
}

/** Creates one direction of a tunnel, with backpressure from `to` to `from`. */
export function createTunnelDirection({ from, to, isWebSocket, isToServer }: TunnelDirectionOptions) {
  const frames = new FrameTracker();
  let bytes = 0;
  let state: 'open' | 'closing' | 'closed' = 'open';

  const pass = (chunk: Buffer) => {
    // Bytes to a closed side are read and dropped, so that the end of the sending side is still noticed.
    if (chunk.length === 0 || to.destroyed || to.writableEnded) return;
    bytes += chunk.length;
    if (!to.write(chunk)) from.pause();
  };

  const finish = () => {
    state = 'closed';
    // The frame that just ended may have been a close frame itself.
    if (!frames.hasClosed) pass(closeFrame(SERVICE_RESTART, isToServer));
    from.resume();
  };

  const push = (chunk: Buffer) => {
    if (state === 'open') {
      if (isWebSocket) frames.follow(chunk);
      pass(chunk);
      return;
    }
    if (state === 'closing') {
      const end = frames.follow(chunk, true);
      pass(chunk.subarray(0, end));
      if (!frames.isAtBoundary) return;
      finish();
      push(chunk.subarray(end));
      return;
    }
    frames.follow(chunk);
    // This side has answered the close frame of the other direction: the closing handshake is complete.
    if (frames.hasClosed) from.end();
  };

  return {
    /** Bytes forwarded so far. */
    get bytes() {
      return bytes;
    },
    /** Whether the sending side has sent a close frame. */
    get hasClosed() {
      return frames.hasClosed;
    },
    /** Forwards bytes that arrived before `start`. */
    push,
    /** Starts forwarding. */
    start() {
      from.on('data', push);
      from.on('end', () => to.end());
      to.on('drain', () => from.resume());
      from.resume();
    },
    /**
     * Sends a close frame after the current frame and forwards nothing more. Ends the sending side when it has sent a close frame itself,
     * in answer to the one of the other direction. Only for a WebSocket.
     */
    close() {
      if (state !== 'open') return;
      state = 'closing';
      if (frames.isAtBoundary) finish();
    },
  };
}
