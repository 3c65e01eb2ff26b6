/** A mounted control group hierarchy that contains this process. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** Version 1: the hierarchy's controllers. Version 2: empty; `cgroup.controllers` lists them. */
  readonly controllers: readonly string[];
  readonly mountPoint: string;
  /** Path of this process's group relative to the mount point; `/` is the mount point itself. */
  readonly ownPath: string;
}

/**
 * Returns the hierarchies found in the texts of `/proc/self/mountinfo` (proc_pid_mountinfo(5)) and `/proc/self/cgroup` (cgroups(7)).
 * Where only a part of a hierarchy is mounted (in a container), paths are relative to that part.
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

/** Returns controller → path of this process's group; version 2 has the empty name. */
function parseOwnGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, names, ...path] = line.split(':');
    if (names === undefined || path.length === 0) continue;
    for (const name of names.split(',')) groups.set(name, path.join(':'));
  }
  return groups;
}

/** Makes a path relative to `root`, the mounted part of the hierarchy. A path outside of it becomes `/`. */
function below(root: string, path: string): string {
  if (root === '/') return path;
  return path.startsWith(`${root}/`) ? path.slice(root.length) : '/';
}
