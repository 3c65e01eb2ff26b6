import { join } from 'node:path';
import type { Clock } from '@berth/kit';
import type { Cgroup } from './cgroup.ts';
import { killAll, listCgroups, readCgroupPids, removeCgroups, tryWriteCgroupFile } from './cgroup-files.ts';

const TRIES = 500;
const WAIT_MS = 10;

/** Kills all processes of a group, waits up to five seconds for them to end, and removes the group. */
export async function emptyCgroup(group: Cgroup, clock: Clock): Promise<void> {
  // A frozen process can't end until it is thawed.
  group.setFrozen(false);
  for (let left = TRIES; left > 0 && group.pids().length > 0; left--) {
    group.kill();
    await clock.sleep(WAIT_MS);
  }
  await group.remove();
}

/** Does the same as {@link emptyCgroup} for every group in these folders, of either version. For groups that an earlier server left. */
export async function emptyCgroupFolders(folders: readonly string[], clock: Clock): Promise<void> {
  const listIn = (folder: string): string[] => listCgroups(folder).map((name) => join(folder, name));
  // A group is removed after the groups of commands inside it.
  const groups = folders.flatMap(listIn).flatMap((group) => [...listIn(group), group]);
  for (const group of groups) {
    tryWriteCgroupFile(group, 'freezer.state', 'THAWED');
    tryWriteCgroupFile(group, 'cgroup.freeze', 0);
  }
  const pids = (): number[] => groups.flatMap(readCgroupPids);
  for (let left = TRIES; left > 0 && pids().length > 0; left--) {
    killAll(pids());
    await clock.sleep(WAIT_MS);
  }
  await removeCgroups(groups, clock);
}
