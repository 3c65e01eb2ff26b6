import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RECORD_FOLDER, STATE_FOLDER, TOKEN_FILE, USERS_FILE } from './state-places.ts';

/**
 * Lets a data folder that was copied forget what belongs to the server of the original: its programs, which a start would end, and
 * its users, which both would give their services. Takes only these: volumes may be mounted elsewhere in that folder.
 */
export async function forgetState(dataFolder: string): Promise<void> {
  const state = join(dataFolder, STATE_FOLDER);
  for (const name of [RECORD_FOLDER, TOKEN_FILE, USERS_FILE]) {
    await rm(join(state, name), { recursive: true, force: true });
  }
}
