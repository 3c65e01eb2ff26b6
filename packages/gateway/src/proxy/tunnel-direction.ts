import type { Duplex } from 'node:stream';
import { closeFrame, SERVICE_RESTART } from './websocket/close-frame.ts';
import { FrameTracker } from './websocket/frame-tracker.ts';

/** One way of a tunnel. */
export interface TunnelDirection {
  /** Bytes passed so far. */
  readonly bytes: number;
  /** The side it leads from has sent a close frame. */
  readonly hasClosed: boolean;
  /** Passes bytes that came before {@link start}. */
  push(chunk: Buffer): void;
  start(): void;
  /**
   * Puts a close frame behind the current frame and passes nothing more; ends the way when its reader has answered with a close frame of its
   * own, which comes the other way. Only for a WebSocket.
   */
  close(): void;
}

/** What a way leads from and to. */
export interface TunnelDirectionOptions {
  readonly from: Duplex;
  readonly to: Duplex;
  readonly isWebSocket: boolean;
  /** Frames to a server are masked. */
  readonly isToServer: boolean;
}

export function createTunnelDirection({ from, to, isWebSocket, isToServer }: TunnelDirectionOptions): TunnelDirection {
  const frames = new FrameTracker();
  let bytes = 0;
  let state: 'open' | 'closing' | 'closed' = 'open';

  const pass = (chunk: Buffer) => {
    // What a side says to one that has gone is read and dropped, so that its own end is seen.
    if (chunk.length === 0 || to.destroyed || to.writableEnded) return;
    bytes += chunk.length;
    if (!to.write(chunk)) from.pause();
  };

  const finish = () => {
    state = 'closed';
    // The frame that was waited for may have been a close frame itself.
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
    // This side has answered the close frame that the other way brought it: the connection has served its purpose.
    if (frames.hasClosed) from.end();
  };

  return {
    get bytes() {
      return bytes;
    },
    get hasClosed() {
      return frames.hasClosed;
    },
    push,
    start() {
      from.on('data', push);
      from.on('end', () => to.end());
      to.on('drain', () => from.resume());
      from.resume();
    },
    close() {
      if (state !== 'open') return;
      state = 'closing';
      if (frames.isAtBoundary) finish();
    },
  };
}
