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

/**
 * One of the system's own programs, as an absolute path.
 * @param source What to install for it, for people: a package or a project.
 * @throws Error that names both.
 */
export function requireProgram(name: string, source: string): string {
  const path = findExecutable(name, SYSTEM_PROGRAM_FOLDERS);
  if (path === undefined) throw new Error(`the program ${name} (${source}) is not installed`);
  return path;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
