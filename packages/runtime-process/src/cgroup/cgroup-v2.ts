import { join, resolve } from 'node:path';
import type { Clock } from '@berth/kit';
import type { Cgroup, CgroupFeatures, CgroupLimits, Cgroups } from './cgroup.ts';
import {
  addToCgroup,
  killAll,
  makeCgroup,
  readCgroupField,
  readCgroupFile,
  readCgroupNumber,
  readCgroupPids,
  removeCgroups,
  tryRemoveCgroup,
  tryWriteCgroupFile,
  wakeCgroups,
  writeCgroupFile,
} from './cgroup-files.ts';
import type { Hierarchy } from './find-hierarchies.ts';

const CPU_PERIOD_US = 100_000;
/** Builds get an eighth of a service's weight: the default is 100. */
const LOW_PRIORITY_WEIGHT = 12;

/**
 * Opens control groups of version 2. Returns undefined when no group can be made.
 * Source: Documentation/admin-guide/cgroup-v2 of the kernel.
 */
export function openCgroupsV2(hierarchy: Hierarchy, parentName: string, clock: Clock): Cgroups | undefined {
  const found = makeParent(hierarchy, parentName);
  if (!found) return undefined;
  const { parent, features } = found;
  const open = (name: string): Cgroup => createCgroup(join(parent, name), features, clock);
  const controllers = Object.entries(features).filter(([, isThere]) => isThere);
  return {
    features,
    folders: [parent],
    description: `control groups v2 (${controllers.map(([name]) => name).join(', ')})`,
    wake: () => wakeCgroups(hierarchy),
    create(name, limits) {
      makeCgroup(join(parent, name));
      setLimits(join(parent, name), features, limits);
      return open(name);
    },
    close: async () => tryRemoveCgroup(parent),
  };
}

/**
 * Makes the parent of this server's groups with as many controllers as possible. A group with processes can't enable controllers for
 * its children ("no internal processes"). So if this process is alone in its group, as it is under a service manager that delegates, it
 * moves itself into a group below. Processes of others are never moved.
 */
function makeParent(
  { mountPoint, ownPath }: Hierarchy,
  name: string,
): { readonly parent: string; readonly features: CgroupFeatures } | undefined {
  let best: { parent: string; features: CgroupFeatures } | undefined;
  for (const base of new Set([resolve(mountPoint, `.${ownPath}`), mountPoint])) {
    const parent = join(base, name);
    try {
      makeCgroup(parent);
    } catch {
      continue;
    }
    if (!enableControllers(base) && isAlone(base) && moveSelf(base)) enableControllers(base);
    enableControllers(parent);
    const enabled = readCgroupFile(parent, 'cgroup.subtree_control').trim().split(/\s+/);
    const features: CgroupFeatures = {
      memory: enabled.includes('memory'),
      cpu: enabled.includes('cpu'),
      processes: enabled.includes('pids'),
      freezer: readCgroupFile(parent, 'cgroup.freeze') !== '',
    };
    if (features.memory && features.cpu && features.processes) return { parent, features };
    if (best) tryRemoveCgroup(parent);
    else best = { parent, features };
  }
  return best;
}

/** Enables controllers one by one, so that a missing one doesn't prevent the others. Returns false when none was enabled. */
function enableControllers(folder: string): boolean {
  const taken = ['memory', 'cpu', 'pids'].map((name) =>
    tryWriteCgroupFile(folder, 'cgroup.subtree_control', `+${name}`),
  );
  return taken.includes(true);
}

function isAlone(folder: string): boolean {
  const pids = readCgroupPids(folder);
  return pids.length === 1 && pids[0] === process.pid;
}

function moveSelf(base: string): boolean {
  const folder = join(base, 'berth-server');
  try {
    makeCgroup(folder);
    writeCgroupFile(folder, 'cgroup.procs', process.pid);
    return true;
  } catch {
    return false;
  }
}

function setLimits(folder: string, features: CgroupFeatures, limits: CgroupLimits): void {
  if (features.memory) {
    writeCgroupFile(folder, 'memory.max', limits.memoryBytes);
    tryWriteCgroupFile(folder, 'memory.swap.max', 0);
    // On OOM the kernel kills the whole group: a service that loses one of its processes is broken in ways no one tested.
    tryWriteCgroupFile(folder, 'memory.oom.group', 1);
  }
  if (features.cpu) {
    const quota = Math.round((limits.cpuMillis / 1_000) * CPU_PERIOD_US);
    writeCgroupFile(folder, 'cpu.max', `${quota} ${CPU_PERIOD_US}`);
    if (limits.isLowPriority) tryWriteCgroupFile(folder, 'cpu.weight', LOW_PRIORITY_WEIGHT);
  }
  if (features.processes) writeCgroupFile(folder, 'pids.max', limits.processes);
}

function createCgroup(folder: string, features: CgroupFeatures, clock: Clock): Cgroup {
  const pids = (): number[] => readCgroupPids(folder);
  return {
    folders: [folder],
    add: (pid) => addToCgroup(folder, pid),
    pids,
    kill() {
      if (tryWriteCgroupFile(folder, 'cgroup.kill', 1)) return;
      // Kernels before 5.14 have no cgroup.kill.
      tryWriteCgroupFile(folder, 'pids.max', 0);
      killAll(pids());
    },
    oomKills: () => (features.memory ? readCgroupField(folder, 'memory.events', 'oom_kill') : undefined) ?? 0,
    cpuMs() {
      const microseconds = readCgroupField(folder, 'cpu.stat', 'usage_usec');
      return microseconds === undefined ? undefined : microseconds / 1e3;
    },
    memoryBytes() {
      const used = features.memory ? readCgroupNumber(folder, 'memory.current') : undefined;
      if (used === undefined) return undefined;
      return Math.max(0, used - (readCgroupField(folder, 'memory.stat', 'inactive_file') ?? 0));
    },
    setFrozen: (isFrozen) => void tryWriteCgroupFile(folder, 'cgroup.freeze', isFrozen ? 1 : 0),
    createChild(name) {
      // Without controllers of its own, which a group with processes can't give to a child.
      makeCgroup(join(folder, name));
      return createCgroup(join(folder, name), features, clock);
    },
    remove: () => removeCgroups([folder], clock),
  };
}
