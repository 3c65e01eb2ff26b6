import { join, resolve } from 'node:path';
import type { Clock } from '@berth/kit';
import type { Cgroup, CgroupLimits, Cgroups } from './cgroup.ts';
import {
  addToCgroup,
  killAll,
  makeCgroup,
  readCgroupField,
  readCgroupNumber,
  readCgroupPids,
  removeCgroups,
  tryRemoveCgroup,
  tryWriteCgroupFile,
  wakeCgroups,
  writeCgroupFile,
} from './cgroup-files.ts';
import type { Hierarchy } from './find-hierarchies.ts';

const CONTROLLERS = ['memory', 'cpu', 'cpuacct', 'pids', 'freezer'] as const;
type Controller = (typeof CONTROLLERS)[number];

/** The kernel's default of `cpu.cfs_period_us`. */
const CPU_PERIOD_US = 100_000;
/** Builds get an eighth of a service's share: the default is 1,024 (sched-design-CFS). */
const LOW_PRIORITY_SHARES = 128;

/**
 * Opens control groups of version 1, which has a hierarchy for each controller, so that a program has a group in each. Returns
 * undefined when no controller can be written. Source: Documentation/admin-guide/cgroup-v1 of the kernel.
 */
export function openCgroupsV1(
  hierarchies: readonly Hierarchy[],
  parentName: string,
  clock: Clock,
): Cgroups | undefined {
  const parents = new Map<Controller, string>();
  let used: Hierarchy | undefined;
  for (const controller of CONTROLLERS) {
    const hierarchy = hierarchies.find((one) => one.version === 1 && one.controllers.includes(controller));
    const parent = hierarchy && makeParent(hierarchy, parentName);
    if (!hierarchy || !parent) continue;
    parents.set(controller, parent);
    used ??= hierarchy;
  }
  const isUsable = (controller: Controller): boolean => parents.has(controller);
  const features = {
    memory: isUsable('memory'),
    cpu: isUsable('cpu'),
    processes: isUsable('pids'),
    freezer: isUsable('freezer'),
  };
  if (!used) return undefined;
  const own = used;

  const open = (name: string): Cgroup =>
    createCgroup(new Map([...parents].map(([key, parent]) => [key, join(parent, name)])), clock);
  const folders = [...new Set(parents.values())];

  return {
    features,
    folders,
    description: `control groups v1 (${[...parents.keys()].join(', ')})`,
    wake: () => wakeCgroups(own),
    create(name, limits) {
      for (const parent of folders) makeCgroup(join(parent, name));
      for (const [controller, parent] of parents) setLimits(controller, join(parent, name), limits);
      return open(name);
    },
    async close() {
      for (const parent of folders) tryRemoveCgroup(parent);
    },
  };
}

/** Makes the parent group inside this server's own group, so that the server's limits cover its services; else at the hierarchy's root. */
function makeParent({ mountPoint, ownPath }: Hierarchy, name: string): string | undefined {
  for (const base of new Set([resolve(mountPoint, `.${ownPath}`), mountPoint])) {
    const parent = join(base, name);
    const trial = join(parent, 'trial');
    try {
      makeCgroup(parent);
      makeCgroup(trial);
      tryRemoveCgroup(trial);
      return parent;
    } catch {
      tryRemoveCgroup(parent);
    }
  }
  return undefined;
}

function setLimits(controller: Controller, folder: string, limits: CgroupLimits): void {
  if (controller === 'memory') {
    writeCgroupFile(folder, 'memory.limit_in_bytes', limits.memoryBytes);
    // Limits memory and swap together. The file is missing where the kernel doesn't account for swap.
    tryWriteCgroupFile(folder, 'memory.memsw.limit_in_bytes', limits.memoryBytes);
  } else if (controller === 'cpu') {
    writeCgroupFile(folder, 'cpu.cfs_period_us', CPU_PERIOD_US);
    writeCgroupFile(folder, 'cpu.cfs_quota_us', Math.round((limits.cpuMillis / 1_000) * CPU_PERIOD_US));
    if (limits.isLowPriority) writeCgroupFile(folder, 'cpu.shares', LOW_PRIORITY_SHARES);
  } else if (controller === 'pids') {
    writeCgroupFile(folder, 'pids.max', limits.processes);
  }
}

function createCgroup(folders: ReadonlyMap<Controller, string>, clock: Clock): Cgroup {
  const memory = folders.get('memory');
  const accounting = folders.get('cpuacct');
  const unique = [...new Set(folders.values())];
  const pids = (): number[] => [...new Set(unique.flatMap(readCgroupPids))];
  return {
    folders: unique,
    async add(pid) {
      await Promise.all(unique.map((folder) => addToCgroup(folder, pid)));
    },
    pids,
    kill() {
      const limiter = folders.get('pids');
      if (limiter) tryWriteCgroupFile(limiter, 'pids.max', 0);
      killAll(pids());
    },
    oomKills: () => (memory === undefined ? undefined : readCgroupField(memory, 'memory.oom_control', 'oom_kill')) ?? 0,
    cpuMs() {
      const nanoseconds = accounting === undefined ? undefined : readCgroupNumber(accounting, 'cpuacct.usage');
      return nanoseconds === undefined ? undefined : nanoseconds / 1e6;
    },
    memoryBytes() {
      if (memory === undefined) return undefined;
      const used = readCgroupNumber(memory, 'memory.usage_in_bytes');
      if (used === undefined) return undefined;
      return Math.max(0, used - (readCgroupField(memory, 'memory.stat', 'total_inactive_file') ?? 0));
    },
    setFrozen(isFrozen) {
      const freezer = folders.get('freezer');
      if (freezer) tryWriteCgroupFile(freezer, 'freezer.state', isFrozen ? 'FROZEN' : 'THAWED');
    },
    createChild(name) {
      const children = new Map([...folders].map(([controller, folder]) => [controller, join(folder, name)]));
      for (const folder of new Set(children.values())) makeCgroup(folder);
      return createCgroup(children, clock);
    },
    remove: () => removeCgroups(unique, clock),
  };
}
