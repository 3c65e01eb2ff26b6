import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/**
 * Kept-alive connections. Requests that share them share one address rule, which was applied when the connections were
 * opened.
 */
export interface GuardedConnections {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  close(): void;
}

/** Servers close idle connections after 5 s (Node) or more; a younger one is hardly ever closed while it is reused. */
const IDLE_MS = 4_000;
const MAX_IDLE = 8;

/** Creates connections that never use a proxy of the environment: the checked address would be the proxy's. */
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
