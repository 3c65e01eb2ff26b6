import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of a system's own programs. PATH isn't used, because a service manager may start a server without one. */
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

/** Returns the absolute path of the first executable file of that name, or undefined. */
export function findExecutable(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/**
 * Returns the absolute path of one of the system's own programs.
 * @param source The package or project that provides it, for people.
 * @throws Error naming both, when the program isn't installed.
 */
export function requireProgram(name: string, source: string): string {
  const path = findExecutable(name, SYSTEM_PROGRAM_FOLDERS);
  if (path === undefined) throw new Error(`the program ${name} (${source}) is not installed`);
  return path;
}

/** Returns whether `path` is a file that this process may execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
