import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { openMachineClaims } from '../guard/machine-claims.ts';
import { makeFolder } from '../host/make-folder.ts';
import { serverHash } from '../host/work-root.ts';
import { openUsers } from '../identity/open-users.ts';
import { CLAIM_FOLDER, STATE_FOLDER, USERS_FILE } from './state-places.ts';

/** The groups that volumes belong to while containers use them, one for each account. */
export interface AccountGroups {
  /** Allocated, durably, when the account has none. @throws BerthError `out_of_capacity` when all ids are used. */
  of(account: string): Promise<number>;
  /** Lets other servers of this machine have the ids. */
  close(): void;
}

/**
 * Opens the groups, from the ids that the process runtime of the same data folder takes its users from. Takes root.
 * @param dataFolder The server's; exists.
 * @throws Error as `createConfinement` when there are no other ids in here, or another server has them.
 */
export async function openAccountGroups(dataFolder: string): Promise<AccountGroups> {
  const hash = serverHash(dataFolder);
  const stateFolder = join(await realpath(dataFolder), STATE_FOLDER);
  await makeFolder(stateFolder, 0o700);
  const claims = openMachineClaims(CLAIM_FOLDER);
  const file = join(stateFolder, USERS_FILE);
  const users = await openUsers({ file, serverHash: hash, taken: claims.taken(hash) });
  // What a killed process runtime of this folder has left is still to be emptied by the next one.
  const left = claims.abandoned.find((claim) => claim.serverHash === hash);
  claims.make({ serverHash: hash, range: users.range, cgroupFolders: left?.cgroupFolders ?? [] });
  return {
    // Another group than processes of the account have: after a change of runtime a volume is walked, and its files get modes that
    // the other kind of user can work with.
    of: (account) => users.groupOf(`containers of ${account}`),
    close() {
      if (left === undefined) claims.release();
    },
  };
}
