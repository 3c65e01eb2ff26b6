import { writeFileSync } from 'node:fs';
import type { Clock } from '@berth/kit';
import { readIfThere } from '@berth/runtime/files';
import { findGroupPath } from './container-processes.ts';

/** Freezes all processes of a container at once. */
export interface ContainerFreezer {
  /** Resolves when every process stands still. Returns false, and freezes none, where the kernel can't do that now. */
  freeze(): Promise<boolean>;
  thaw(): void;
}

interface Group {
  /** The file that freezes, and what is written to it. */
  readonly file: string;
  readonly frozen: string;
  readonly thawed: string;
  isFrozen(): boolean;
}

const FREEZE_TRIES = 100;
const FREEZE_RETRY_MS = 2;

/**
 * Finds the control group of a container, in which this server freezes it in a tenth of a millisecond. The engine starts a program
 * for the same, which takes more than ten. Undefined where this server can't write the group: then the engine has to do it.
 * Source: the kernel's Documentation/admin-guide/cgroup-v1/freezer-subsystem and cgroup-v2, "cgroup.freeze".
 * @param pid The first process of the container, in this machine's pid namespace.
 */
export function findContainerFreezer(pid: number, containerId: string, clock: Clock): ContainerFreezer | undefined {
  const group = findGroup(pid, containerId);
  if (!group || !write(group.file, group.thawed)) return undefined;
  return {
    async freeze() {
      for (let tries = 0; tries < FREEZE_TRIES; tries++) {
        // Version 1 may leave a new process out until it is told again.
        if (!write(group.file, group.frozen)) break;
        if (group.isFrozen()) return true;
        await clock.sleep(FREEZE_RETRY_MS);
      }
      write(group.file, group.thawed);
      return false;
    },
    thaw: () => void write(group.file, group.thawed),
  };
}

function findGroup(pid: number, containerId: string): Group | undefined {
  const first = findGroupPath(pid, 'freezer');
  // A group of several containers, or of another one that has the process ID now.
  if (first?.includes(containerId)) {
    const file = `/sys/fs/cgroup/freezer${first}/freezer.state`;
    return { file, frozen: 'FROZEN', thawed: 'THAWED', isFrozen: () => readIfThere(file).trim() === 'FROZEN' };
  }
  const second = findGroupPath(pid, '');
  if (!second?.includes(containerId)) return undefined;
  const folder = `/sys/fs/cgroup${second}`;
  const isFrozen = () => /^frozen 1$/m.test(readIfThere(`${folder}/cgroup.events`));
  return { file: `${folder}/cgroup.freeze`, frozen: '1', thawed: '0', isFrozen };
}

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}
