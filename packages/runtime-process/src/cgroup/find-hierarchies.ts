/** A mounted tree of control groups that this process is in. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** Version 1: what this tree controls. Version 2: empty, `cgroup.controllers` says it. */
  readonly controllers: readonly string[];
  readonly mountPoint: string;
  /** This process's group, from the mount point on; `/` is the mount point itself. */
  readonly ownPath: string;
}

/**
 * Puts `/proc/self/mountinfo` (proc_pid_mountinfo(5)) and `/proc/self/cgroup` (cgroups(7)) together. A tree of which only
 * a part is mounted (a container) is seen from that part's top.
 */
export function findHierarchies(mountInfo: string, ownGroups: string): Hierarchy[] {
  const own = parseOwnGroups(ownGroups);
  const hierarchies: Hierarchy[] = [];
  for (const line of mountInfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '/', mountPoint = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (type === 'cgroup2') {
      const path = own.get('');
      if (path !== undefined) hierarchies.push({ version: 2, controllers: [], mountPoint, ownPath: below(root, path) });
    } else if (type === 'cgroup') {
      const controllers = options.split(',').filter((option) => own.has(option));
      const path = own.get(controllers[0] ?? '');
      if (controllers.length > 0 && path !== undefined) {
        hierarchies.push({ version: 1, controllers, mountPoint, ownPath: below(root, path) });
      }
    }
  }
  return hierarchies;
}

/** Controller → path; version 2 stands under the empty name. */
function parseOwnGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, names, ...path] = line.split(':');
    if (names === undefined || path.length === 0) continue;
    for (const name of names.split(',')) groups.set(name, path.join(':'));
  }
  return groups;
}

/** The mount shows the tree from `root` on; a path outside of that is shown as its top. */
function below(root: string, path: string): string {
  if (root === '/') return path;
  return path.startsWith(`${root}/`) ? path.slice(root.length) : '/';
}
