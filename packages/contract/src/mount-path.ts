/** A runtime's rules for mount paths. Plain data, because the API may run in another process than the runtime. */
export interface MountPolicy {
  /** Folders that a mount path must not equal, lie in or contain. */
  readonly reserved: readonly string[];
  /** Subfolders that services may use, by folder. A mount path in or above the folder must be below one of them. */
  readonly partial: Readonly<Record<string, readonly string[]>>;
}

/** The policy for containers, where a mount affects only its own container. Source: docs/contract/control-plane.md §2. */
export const CONTAINER_MOUNTS: MountPolicy = { reserved: ['/proc', '/sys', '/dev', '/etc'], partial: {} };

/** A mount path that a policy allows. Only {@link judgeMountPath} creates one, so unchecked paths can't be mounted. */
export type MountTarget = string & { readonly __kind: 'mount-target' };

/**
 * Checks a mount path against a policy. Returns the `target` when a volume may be mounted there, else the `problem` with an
 * alternative. The check ignores case: `/USR` is reserved like `/usr`.
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
