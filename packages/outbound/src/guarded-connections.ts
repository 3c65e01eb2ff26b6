import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** Connections that are kept open for a while. Who shares them shares one rule of addresses: it was judged when they were made. */
export interface GuardedConnections {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  close(): void;
}

/** Servers close idle connections after 5 s (Node) and more: one that is younger is hardly ever closed as it is used again. */
const IDLE_MS = 4_000;
const MAX_IDLE = 8;

/** None of them goes through a proxy of the environment: what is judged would be the proxy's address. */
export function createGuardedConnections(): GuardedConnections {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return {
    ...agents,
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}
