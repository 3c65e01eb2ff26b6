import type { Networks } from './networks.ts';
import { createPortPool } from './port-pool.ts';

/** Services listen on all addresses of the machine; the gateway uses the one that always exists. */
const HOST = '127.0.0.1';

/**
 * Creates the networks of a machine on which all programs share the machine's own network. Each service gets its own port.
 * @param problem Why networks aren't isolated, for people.
 */
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
