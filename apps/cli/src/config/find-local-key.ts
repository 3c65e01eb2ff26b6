import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A key file of a server on this machine. */
export interface LocalKey {
  readonly key: string;
  readonly path: string;
}

/** Name of the operator's key file in a data folder. */
const KEY_FILE = 'api-key';

/**
 * Finds the key of a server on this machine in the first of `dataFolders` that has a readable one. A missing or unreadable file is not
 * an error.
 */
export async function findLocalKey(dataFolders: readonly string[]): Promise<LocalKey | undefined> {
  for (const folder of dataFolders) {
    const file = path.join(folder, KEY_FILE);
    const key = await readFile(file, 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
    if (key !== '') return { key, path: file };
  }
  return undefined;
}
