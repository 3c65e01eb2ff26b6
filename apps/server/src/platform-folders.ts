import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { AccountId } from '@berth/kit';

/** Where things lie below the data folder. All of it is private to the server's user. */
export interface PlatformFolders {
  readonly data: string;
  readonly database: string;
  readonly logs: string;
  readonly runtimeState: string;
}

/** Makes the data folder (0700) and answers its parts. */
export function preparePlatformFolders(data: string): PlatformFolders {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const folder = (name: string) => {
    const made = path.join(data, name);
    mkdirSync(made, { recursive: true, mode: 0o700 });
    return made;
  };
  return { data, database: path.join(data, 'berth.db'), logs: folder('logs'), runtimeState: folder('runtime') };
}

/**
 * The host folder of a volume, below the work folder, made when missing. Names and sub-paths were checked by the
 * contract; the check here keeps a fault elsewhere from becoming an escape.
 */
export function createVolumeFolders(volumesFolder: string) {
  return async (account: AccountId, volume: string, subPath: string): Promise<string> => {
    const root = path.join(volumesFolder, account, volume);
    const folder = path.resolve(root, subPath);
    if (folder !== root && !folder.startsWith(root + path.sep))
      throw new Error(`sub path ${subPath} leaves its volume`);
    mkdirSync(folder, { recursive: true });
    return folder;
  };
}
