import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RECORD_FOLDER, STATE_FOLDER, TOKEN_FILE, USERS_FILE } from './state-places.ts';

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
