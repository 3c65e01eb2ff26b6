import type { Clock } from '@berth/kit';
import { readIfThere } from '@berth/runtime/files';
import { type Cgroups, createNoCgroups } from './cgroup.ts';
import { openCgroupsV1 } from './cgroup-v1.ts';
import { openCgroupsV2 } from './cgroup-v2.ts';
import { findHierarchies } from './find-hierarchies.ts';

/**
 * Opens the control groups that this process may make, under `parentName`. Prefers version 2 with a memory controller, then version 1
 * (a machine may have both, with the controllers in only one), then version 2 without a memory controller.
 */
export function openCgroups(parentName: string, clock: Clock): Cgroups {
  const hierarchies = findHierarchies(readIfThere('/proc/self/mountinfo'), readIfThere('/proc/self/cgroup'));
  const unified = hierarchies.find((one) => one.version === 2);
  const v2 = unified && openCgroupsV2(unified, parentName, clock);
  if (v2?.features.memory) return v2;
  const v1 = openCgroupsV1(hierarchies, parentName, clock);
  if (!v1) return v2 ?? createNoCgroups();
  // A process can't be limited by both versions, so the parent group of version 2 would stay unused.
  void v2?.close();
  return v1;
}
