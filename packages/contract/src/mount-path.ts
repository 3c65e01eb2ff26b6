/** Where a runtime lets volumes be mounted. Plain data: the API may run in another process than the runtime. */
export interface MountPolicy {
  /** Folders that a mount path must not equal, lie in or contain. */
  readonly reserved: readonly string[];
  /** By folder, the parts of it that services may use: a mount path in or above the folder must lie below one of them. */
  readonly partial: Readonly<Record<string, readonly string[]>>;
}

/** The policy for containers, where a mount affects only its own container. Source: docs/contract/control-plane.md §2. */
export const CONTAINER_MOUNTS: MountPolicy = { reserved: ['/proc', '/sys', '/dev', '/etc'], partial: {} };

/** A mount path that a policy allows. Only {@link judgeMountPath} makes one, so that no other path is ever mounted. */
export type MountTarget = string & { readonly __kind: 'mount-target' };

/**
 * Checks a mount path against a policy: `target` when a volume may be mounted there, else `problem`, which says why not
 * and what to use instead. A letter's case makes no difference to the policy: `/USR` is as reserved as `/usr`.
 */
export function judgeMountPath(
  path: string,
  { reserved, partial }: MountPolicy,
): { readonly target: MountTarget } | { readonly problem: string } {
  if (!path.startsWith('/')) return { problem: 'a mount path must be absolute' };
  if (path === '/') return { problem: "a volume can't be mounted at /" };
  if (path.includes('\0')) return { problem: "a mount path can't contain NUL" };
  const parts = path.slice(1).split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    return { problem: 'a mount path must be normal: no empty, "." or ".." part and no "/" at its end' };
  }
  const isSplit = Object.entries(partial).some(
    ([folder, open]) => isOverlapping(path, folder) && !open.some((part) => isBelow(path, part)),
  );
  if (isSplit || reserved.some((folder) => isOverlapping(path, folder))) {
    return { problem: 'the system uses this path; choose one such as /data, /mnt/files or /srv/files' };
  }
  return { target: path as MountTarget };
}

function isOverlapping(path: string, folder: string): boolean {
  return path.toLowerCase() === folder.toLowerCase() || isBelow(path, folder) || isBelow(folder, path);
}

function isBelow(path: string, folder: string): boolean {
  return path.toLowerCase().startsWith(`${folder.toLowerCase()}/`);
}
