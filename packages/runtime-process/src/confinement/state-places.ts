import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Claims of ids and control groups. The folder is empty after a boot, and so are the control groups. */
export const CLAIM_FOLDER = '/run/berth';
/** In the data folder: the state of a runtime. */
export const STATE_FOLDER = 'runtime';
/** In the state folder: a record of each running program. */
export const RECORD_FOLDER = 'running';
/** In the state folder: the token of the latest server. */
export const TOKEN_FILE = 'server';
/** In the state folder: the ids of each owner. */
export const USERS_FILE = 'users.json';

/**
 * Deletes the state in a copied data folder that belongs to the original's server: its running programs, which a server on the copy would
 * end, and its users, which both servers would use. Deletes nothing else, because volumes may be mounted in that folder.
 */
export async function forgetState(dataFolder: string): Promise<void> {
  const state = join(dataFolder, STATE_FOLDER);
  for (const name of [RECORD_FOLDER, TOKEN_FILE, USERS_FILE]) {
    await rm(join(state, name), { recursive: true, force: true });
  }
}
