import { closeSync, constants, mkdirSync, openSync, readdirSync, rmdirSync, writeSync } from 'node:fs';
import { rmdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock } from '@berth/kit';
import { readIfThere } from '@berth/runtime/files';
import { trySignal } from '../process-table/find-members.ts';
import type { Hierarchy } from './find-hierarchies.ts';

/** Reads a file of a group. Empty when it can't be read: an older kernel, an unmounted controller, a removed group. */
export function readCgroupFile(folder: string, name: string): string {
  return readIfThere(join(folder, name));
}

/** Reads a file that holds one number. Returns undefined when the file is missing or holds something else. */
export function readCgroupNumber(folder: string, name: string): number | undefined {
  const text = readCgroupFile(folder, name).trim();
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Reads one value of a file with `name value` lines. Returns undefined when it is missing. */
export function readCgroupField(folder: string, name: string, field: string): number | undefined {
  const line = readCgroupFile(folder, name)
    .split('\n')
    .find((candidate) => candidate.startsWith(`${field} `));
  return line === undefined ? undefined : Number(line.slice(field.length + 1));
}

/** Returns the processes of a group; none when the group is gone. */
export function readCgroupPids(folder: string): number[] {
  return readCgroupFile(folder, 'cgroup.procs').split('\n').filter(Boolean).map(Number);
}

/**
 * Writes a file of a group.
 * @throws the system's error.
 */
export function writeCgroupFile(folder: string, name: string, value: string | number): void {
  // Without O_CREAT, so that a missing group doesn't become a plain file.
  const file = openSync(join(folder, name), constants.O_WRONLY);
  try {
    writeSync(file, String(value));
  } finally {
    closeSync(file);
  }
}

/**
 * Makes a group, unless it exists. Its parent must exist, so that an unmounted hierarchy isn't created as plain folders.
 * @throws the system's error.
 */
export function makeCgroup(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Moves a process into a group.
 * @throws the system's error; `ESRCH` when the process has ended.
 */
export async function addToCgroup(folder: string, pid: number): Promise<void> {
  await writeFile(join(folder, 'cgroup.procs'), String(pid), { flag: 'r+' });
}

/** Moves this process to its own group, which changes nothing but makes the kernel take the locks of a move. See {@link Cgroups.wake}. */
export function wakeCgroups({ mountPoint, ownPath }: Hierarchy): void {
  addToCgroup(resolve(mountPoint, `.${ownPath}`), process.pid).catch(() => {});
}

/** Writes a file of a group. Returns false when the kernel refuses. */
export function tryWriteCgroupFile(folder: string, name: string, value: string | number): boolean {
  try {
    writeCgroupFile(folder, name, value);
    return true;
  } catch {
    return false;
  }
}

/** Removes a group, unless it is busy or gone. */
export function tryRemoveCgroup(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The group is busy or gone.
  }
}

/** Returns the names of the groups in a group; none when it is gone. */
export function listCgroups(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** Sends SIGKILL to each process, and ignores those that have ended. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) trySignal(pid, 'SIGKILL');
}

/** A group stays busy for a moment after its last process was reaped. */
const REMOVE_TRIES = 50;
const REMOVE_WAIT_MS = 20;

/** Removes empty groups. Retries each busy group for up to a second. */
export async function removeCgroups(folders: readonly string[], clock: Clock): Promise<void> {
  for (const folder of folders) {
    for (let left = REMOVE_TRIES; left > 0; left--) {
      const code = await rmdir(folder).then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error.code,
      );
      if (code !== 'EBUSY') break;
      await clock.sleep(REMOVE_WAIT_MS);
    }
  }
}
