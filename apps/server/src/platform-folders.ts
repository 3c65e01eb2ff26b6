import { lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createError } from '@berth/contract';
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
 * contract; here no link is followed, because what lies in a volume is the tenant's, and this runs as the server.
 * @throws BerthError `start_failed` when the way leads over something that is no folder.
 */
export function createVolumeFolders(volumesFolder: string) {
  return async (account: AccountId, volume: string, subPath: string): Promise<string> => {
    let folder = volumesFolder;
    mkdirSync(folder, { recursive: true });
    for (const part of [account, volume, ...subPath.split('/').filter((one) => one !== '')]) {
      if (part === '..' || part === '.') throw new Error(`"${part}" in the path of a volume`);
      folder = path.join(folder, part);
      const stats = lstatSync(folder, { throwIfNoEntry: false });
      if (stats === undefined) mkdirSync(folder);
      else if (!stats.isDirectory()) {
        throw createError(
          'start_failed',
          `In the volume "${volume}", "${part}" of sub_path "${subPath}" is no folder.`,
        );
      }
    }
    return folder;
  };
}
