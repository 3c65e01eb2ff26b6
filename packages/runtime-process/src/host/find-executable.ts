import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** Where systems keep their own programs, whatever PATH says: a service manager may start a server with none. */
export const SYSTEM_PROGRAM_FOLDERS = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  // NixOS.
  '/run/current-system/sw/bin',
] as const;

/** The first executable file of that name, as an absolute path. */
export function findExecutable(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
