import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Clock } from '@berth/kit';

/** How often connections whose answer has ended are looked for. Node closes those that are idle at the call only. */
const LOOK_MS = 50;

/** Ends a server in order: nothing new comes in, and what is being sent is sent. */
export interface ClosingServer {
  /** Cuts what is left after `leftMs`; resolves when all connections are closed. */
  cutAfter(leftMs: number): Promise<void>;
}

/** Begins to end it: takes no new connections, and closes each as soon as its answer has ended. */
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
