import { mkdirSync } from 'node:fs';
import path from 'node:path';

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
