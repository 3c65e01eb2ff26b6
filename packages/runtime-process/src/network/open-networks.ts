import { createPastaNetworks, type PastaNetworksOptions } from './create-pasta-networks.ts';
import { createSharedNetwork } from './create-shared-network.ts';
import { createVethNetworks, type VethNetworksOptions } from './create-veth-networks.ts';
import type { Networks } from './networks.ts';

/** Options of {@link openNetworks}. */
export interface OpenNetworksOptions extends VethNetworksOptions, PastaNetworksOptions {
  readonly isRoot: boolean;
  /** The operator chose one network for all programs. */
  readonly isShared: boolean;
}

/** Opens the most isolated networks that this machine supports. Falls back to the machine's network for all programs. */
export async function openNetworks({ isRoot, isShared, ...options }: OpenNetworksOptions): Promise<Networks> {
  if (isShared) return createSharedNetwork('switched off');
  if (process.platform !== 'linux') return createSharedNetwork('there are such networks on Linux only');
  try {
    if (isRoot) return await createVethNetworks(options);
    // Without a sandbox programs run as the server's own user, who could change the networks.
    if (!options.isSandboxed) return createSharedNetwork('there is no sandbox');
    return await createPastaNetworks(options);
  } catch (error) {
    return createSharedNetwork((error as Error).message);
  }
}
