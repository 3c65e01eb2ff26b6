import { createPastaNetworks, type PastaNetworksOptions } from './create-pasta-networks.ts';
import { createSharedNetwork } from './create-shared-network.ts';
import { createVethNetworks, type VethNetworksOptions } from './create-veth-networks.ts';
import type { Networks } from './networks.ts';

export interface OpenNetworksOptions extends VethNetworksOptions, PastaNetworksOptions {
  readonly isRoot: boolean;
  /** The operator wants one network for all. */
  readonly isShared: boolean;
}

/** The best that this machine has: networks of their own, else the machine's for all. */
export async function openNetworks({ isRoot, isShared, ...options }: OpenNetworksOptions): Promise<Networks> {
  if (isShared) return createSharedNetwork('switched off');
  if (process.platform !== 'linux') return createSharedNetwork('there are such networks on Linux only');
  try {
    if (isRoot) return await createVethNetworks(options);
    // Without a sandbox programs run as this server's own user, who may change all that is set up.
    if (!options.isSandboxed) return createSharedNetwork('there is no sandbox');
    return await createPastaNetworks(options);
  } catch (error) {
    return createSharedNetwork((error as Error).message);
  }
}
