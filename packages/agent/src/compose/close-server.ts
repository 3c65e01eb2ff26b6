import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Clock } from '@berth/kit';

/** How often idle connections are closed. Node closes only those that are idle at the time of the call. */
const LOOK_MS = 50;

/** A server that accepts no new connections and finishes what it is sending. */
export interface ClosingServer {
  /** Destroys the remaining connections after `leftMs`; resolves when all are closed. */
  cutAfter(leftMs: number): Promise<void>;
}

/** Starts to close a server: it accepts no new connections, and closes each one when its response has ended. */
export function closeServer(server: Server, clock: Clock): ClosingServer {
  const ended = once(server, 'close');
  server.close();
  const look = () => {
    server.closeIdleConnections();
    timer = clock.setTimer(LOOK_MS, look);
  };
  let timer = clock.setTimer(LOOK_MS, look);
  return {
    async cutAfter(leftMs) {
      const cut = clock.setTimer(leftMs, () => server.closeAllConnections());
      await ended;
      cut.cancel();
      timer.cancel();
    },
  };
}
