import { closeSync, constants, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeSync } from 'node:fs';
import { rmdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock } from '@berth/kit';
import type { Hierarchy } from './find-hierarchies.ts';

/** A group's files, with the failures that are no news taken care of. */

/** Undefined when the file is not there: an older kernel, a controller that is not mounted, a group that is gone. */
export function readCgroupFile(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}

/** A file that is one number. */
export function readCgroupNumber(folder: string, name: string): number | undefined {
  const text = readCgroupFile(folder, name)?.trim();
  return text && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** One value of a file of `name value` lines. */
export function readCgroupField(folder: string, name: string, field: string): number | undefined {
  const line = readCgroupFile(folder, name)
    ?.split('\n')
    .find((candidate) => candidate.startsWith(`${field} `));
  return line === undefined ? undefined : Number(line.slice(field.length + 1));
}

export function readCgroupPids(folder: string): number[] {
  const text = readCgroupFile(folder, 'cgroup.procs') ?? '';
  return text.split('\n').filter(Boolean).map(Number);
}

/** @throws the system's error. */
export function writeCgroupFile(folder: string, name: string, value: string | number): void {
  // Without O_CREAT: where no group is, no plain file is to come into being.
  const file = openSync(join(folder, name), constants.O_WRONLY);
  try {
    writeSync(file, String(value));
  } finally {
    closeSync(file);
  }
}

/**
 * Only the last folder: a tree that is not mounted must not come into being as plain folders.
 * @throws the system's error.
 */
export function makeCgroup(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** @throws the system's error; `ESRCH` when there is no such process any more. */
export async function addToCgroup(folder: string, pid: number): Promise<void> {
  await writeFile(join(folder, 'cgroup.procs'), String(pid), { flag: 'r+' });
}

/** Moves this process to where it is: changes nothing, but takes the locks of a move. */
export function wakeCgroups({ mountPoint, ownPath }: Hierarchy): void {
  addToCgroup(resolve(mountPoint, `.${ownPath}`), process.pid).catch(() => {});
}

/** True when the kernel took it. */
export function tryWriteCgroupFile(folder: string, name: string, value: string | number): boolean {
  try {
    writeCgroupFile(folder, name, value);
    return true;
  } catch {
    return false;
  }
}

export function tryRemoveCgroup(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Busy or gone.
  }
}

export function listCgroups(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** SIGKILL to each; who ended meanwhile is passed over. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended.
    }
  }
}

/** A group stays busy for a moment after its last process was waited for. */
const REMOVE_TRIES = 50;
const REMOVE_WAIT_MS = 20;

/** Removes empty groups, a second of tries long. */
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
