import type { Networks } from './networks.ts';
import { createPortPool } from './port-pool.ts';

/** Services listen on every address of the machine; the gateway takes the one that is always there. */
const HOST = '127.0.0.1';

/** The machine's own network, for all programs: each service is told a port of its own. */
export function createSharedNetwork(problem: string): Networks {
  const ports = createPortPool();
  return {
    isIsolated: false,
    hasOwnAddresses: false,
    problem,
    async take(wanted) {
      const port = wanted === undefined ? 0 : await ports.take();
      return {
        address: { host: HOST, port },
        port,
        enter: [],
        etcFiles: {},
        isFresh: () => ports.isFree(port),
        release: async () => ports.release(port),
      };
    },
    close: async () => {},
  };
}
