import { createPastaNetworks, type PastaNetworksOptions } from './create-pasta-networks.ts';
import { createVethNetworks, type VethNetworksOptions } from './create-veth-networks.ts';
import type { Networks } from './networks.ts';
import { createPortPool } from './port-pool.ts';

/** Options of {@link openNetworks}. */
export interface OpenNetworksOptions extends VethNetworksOptions, PastaNetworksOptions {
  readonly isRoot: boolean;
  /** The operator chose one network for all programs. */
  readonly isShared: boolean;
}

/** Opens the most isolated networks that this machine supports. Falls back to the machine's network for all programs. */
export async function openNetworks({ isRoot, isShared, ...options }: OpenNetworksOptions): Promise<Networks> {
  if (isShared) return createSharedNetwork('switched off');
  if (process.platform !== 'linux') return createSharedNetwork('only supported on Linux');
  try {
    if (isRoot) return await createVethNetworks(options);
    // Without a sandbox programs run as the server's own user, who could change the networks.
    if (!options.isSandboxed) return createSharedNetwork('no sandbox');
    return await createPastaNetworks(options);
  } catch (error) {
    return createSharedNetwork((error as Error).message);
  }
}

/** Services listen on all addresses of the machine; the gateway uses the one that always exists. */
const HOST = '127.0.0.1';

/**
 * Creates the networks of a machine on which all programs share the machine's own network. Each service gets its own port.
 * @param problem Why networks aren't isolated, for people.
 */
function createSharedNetwork(problem: string): Networks {
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
