import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '@berth/kit/node';

/**
 * Records beside the key file which key now seals everything, so that `berth agent rotate-keys --finish` knows when the
 * other keys can be removed. Does nothing when there is no key file.
 */
export async function noteSweep(dataFolder: string, keyId: string): Promise<void> {
  const file = path.join(dataFolder, '.secrets', 'sealed-with');
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, `${keyId}\n`, { mode: 0o600 });
    await rename(temporary, file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
