import { readdirSync, rmSync } from 'node:fs';
import type { Clock } from '@berth/kit';
import { SYSTEM_PROGRAM_FOLDERS } from '@berth/runtime/drivers';
import { tryRemoveCgroup } from '../cgroup/cgroup-files.ts';
import { emptyCgroupFolders } from '../cgroup/empty-cgroup.ts';
import { type MachineClaims, openMachineClaims } from '../guard/machine-claims.ts';
import { unguardMetadata } from '../host/metadata-guard.ts';
import { removeAbandonedNetworks } from '../network/create-veth-networks.ts';
import { removeHostAddress } from '../network/kernel-links.ts';
import { CLAIM_FOLDER } from './state-places.ts';

/**
 * Frees the resources of all killed servers on this machine, whatever their data folder: no server may ever start again on the data
 * folder of a test or trial.
 */
export async function clearAbandoned(clock: Clock): Promise<MachineClaims> {
  const claims = openMachineClaims(CLAIM_FOLDER);
  for (const claim of claims.abandoned) {
    await unguardMetadata(SYSTEM_PROGRAM_FOLDERS, claim.range);
    await emptyCgroupFolders(claim.cgroupFolders, clock);
    for (const folder of claim.cgroupFolders) tryRemoveCgroup(folder);
    claims.settle(claim);
  }
  return claims;
}

/**
 * Removes everything that servers which no longer run left on this machine: control groups, networks, packet filters and, when no server
 * runs, the address that all of them share. For the removal of Berth; a server does most of it at its start. Requires root.
 */
export async function removeLeftovers(clock: Clock): Promise<void> {
  await clearAbandoned(clock);
  await removeAbandonedNetworks(CLAIM_FOLDER);
  if (readdirSync(CLAIM_FOLDER).length > 0) return;
  await removeHostAddress();
  rmSync(CLAIM_FOLDER, { recursive: true, force: true });
}
