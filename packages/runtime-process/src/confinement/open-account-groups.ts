import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { openMachineClaims } from '../guard/machine-claims.ts';
import { makeFolder } from '../host/make-folder.ts';
import { serverHash } from '../host/work-root.ts';
import { openUsers } from '../identity/open-users.ts';
import { CLAIM_FOLDER, STATE_FOLDER, USERS_FILE } from './state-places.ts';

/** The group of each account's volumes while containers use them. */
export type AccountGroups = Awaited<ReturnType<typeof openAccountGroups>>;

/**
 * Opens the account groups. Their ids come from the same range as the users of a process runtime on this data folder. Requires root.
 * @param dataFolder The server's data folder, which must exist.
 * @param groupFolder As for `createConfinement`.
 * @throws Error as `createConfinement` does when there are no other ids, or another server uses them.
 */
export async function openAccountGroups(dataFolder: string, groupFolder?: string) {
  const hash = serverHash(dataFolder);
  const stateFolder = join(await realpath(dataFolder), STATE_FOLDER);
  await makeFolder(stateFolder, 0o700);
  const claims = openMachineClaims(CLAIM_FOLDER);
  const users = await openUsers(join(stateFolder, USERS_FILE), hash, claims.taken(hash), groupFolder);
  // Keep the claim on the control groups of a killed process runtime, which the next process runtime must empty.
  const left = claims.abandoned.find((claim) => claim.serverHash === hash);
  claims.make({ serverHash: hash, range: users.range, cgroupFolders: left?.cgroupFolders ?? [] });
  return {
    // Not the group of the account's processes: after a change of runtime the group differs, so the volume is walked again and its files
    // get modes that suit the new users.
    /** Returns the account's group id, allocated durably on first use. @throws BerthError `out_of_capacity` when all ids are used. */
    of: (account: string): Promise<number> => users.groupOf(`containers of ${account}`),
    /** Releases the ids for other servers on this machine. */
    close(): void {
      if (left === undefined) claims.release();
    },
  };
}
