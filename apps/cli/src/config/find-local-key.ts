import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A key file of a server on this machine. */
export interface LocalKey {
  readonly key: string;
  readonly path: string;
}

/** The name under which the server keeps the first account's key in its data folder. */
const KEY_FILE = 'api-key';

/**
 * The key of a server on this machine: in the first of `dataFolders` that has one this user may read.
 * A missing or unreadable file is no error: other sources of a key come next.
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
