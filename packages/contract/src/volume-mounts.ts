import { CONTAINER_MOUNTS, judgeMountPath } from './mount-path.ts';
import type { ValidationIssue } from './validation-issue.ts';

/** One entry of a deploy's `volumes`: a volume, or a folder of it, mounted at a path of the service. */
export interface VolumeMount {
  readonly mountPath: string;
  readonly name: string;
  readonly readOnly: boolean;
  /** Folder of the volume to mount, as a relative path; empty for the whole volume. */
  readonly subPath: string;
}

/** The name of a volume. Source: docs/contract/control-plane.md §2. */
export const VOLUME_NAME_PATTERN = /^[a-z0-9][a-z0-9-_]{0,62}$/;

/** The maximum number of mounts, which bounds the pairwise check for nested paths. */
const MAX_MOUNTS = 64;

/**
 * Parses the `volumes` field (JSON object: mount path → volume name or `{name, read_only, sub_path}`). Returns the mounts
 * in the field's order, or all issues found. Mount paths are checked against the policy for containers; other runtimes may
 * allow fewer (`MountPolicy`).
 */
export function parseVolumeMounts(
  text: string,
): { readonly mounts: VolumeMount[] } | { readonly issues: ValidationIssue[] } {
  const issues: ValidationIssue[] = [];
  const fault = (key: string | undefined, msg: string, type: string) =>
    issues.push({ loc: key === undefined ? ['body', 'volumes'] : ['body', 'volumes', key], msg, type });

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    fault(undefined, 'volumes is not JSON; send {} for no storage', 'json_invalid');
    return { issues };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fault(undefined, 'volumes must be a JSON object that maps mount paths to volumes', 'invalid_type');
    return { issues };
  }

  if (Object.keys(value).length > MAX_MOUNTS) {
    fault(undefined, `a service can have ${MAX_MOUNTS} volumes at most`, 'too_many_volumes');
    return { issues };
  }

  const mounts: VolumeMount[] = [];
  for (const [mountPath, target] of Object.entries(value)) {
    const verdict = judgeMountPath(mountPath, CONTAINER_MOUNTS);
    if ('problem' in verdict) fault(mountPath, verdict.problem, 'mount_path_invalid');
    const mount = readTarget(mountPath, target, (msg, type) => fault(mountPath, msg, type));
    if (mount) mounts.push(mount);
  }
  for (const outer of mounts) {
    for (const inner of mounts) {
      if (inner.mountPath.startsWith(`${outer.mountPath}/`)) {
        fault(inner.mountPath, `lies inside the mount path ${outer.mountPath}`, 'mount_path_nested');
      }
    }
  }
  return issues.length > 0 ? { issues } : { mounts };
}

function readTarget(
  mountPath: string,
  target: unknown,
  fault: (msg: string, type: string) => void,
): VolumeMount | undefined {
  const record = typeof target === 'string' ? { name: target } : target;
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    fault('must be a volume name or an object with name, read_only and sub_path', 'invalid_type');
    return undefined;
  }
  const { name, read_only: readOnly = false, sub_path: subPath = '' } = record as Record<string, unknown>;
  let isGood = true;
  const wrong = (msg: string, type: string) => {
    isGood = false;
    fault(msg, type);
  };
  if (name === undefined) wrong('name is required', 'missing');
  else if (typeof name !== 'string' || !VOLUME_NAME_PATTERN.test(name)) {
    wrong('name must have 1 to 63 of a-z, 0-9, "-" and "_", and start with a letter or digit', 'volume_name_invalid');
  }
  if (typeof readOnly !== 'boolean') wrong('read_only must be true or false', 'invalid_type');
  if (typeof subPath !== 'string' || !isSubPath(subPath)) {
    wrong('sub_path must be a relative path without "..", empty parts or NUL', 'sub_path_invalid');
  }
  return isGood
    ? { mountPath, name: name as string, readOnly: readOnly as boolean, subPath: subPath as string }
    : undefined;
}

function isSubPath(path: string): boolean {
  if (path === '') return true;
  if (path.startsWith('/') || path.includes('\0') || path.includes('\\') || path.length > 1024) return false;
  return !path.split('/').some((part) => part === '' || part === '.' || part === '..');
}

/** Returns mounts in the JSON form of the list row and `BERTH_VOLUMES`. */
export function volumeMountsToJson(
  mounts: readonly VolumeMount[],
): Record<string, { name: string; read_only: boolean; sub_path: string }> {
  return Object.fromEntries(
    mounts.map((mount) => [mount.mountPath, { name: mount.name, read_only: mount.readOnly, sub_path: mount.subPath }]),
  );
}
