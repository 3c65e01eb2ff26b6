import type { Stats } from 'node:fs';
import { judgeMountPath, type MountPolicy, type MountTarget } from '@berth/contract';
import { type HostMount, openMount, refuseMount, shareWithGroup } from '@berth/runtime/files';
import type { Bind } from '../bubblewrap/sandbox-arguments.ts';
import type { Identity } from '../identity/can-reach.ts';
import { canReach } from '../identity/can-reach.ts';
import type { VerifiedFolder } from '../launch/launch-spec.ts';

/** The checked volumes of an instance. */
export interface PlacedMounts {
  /** Mounts for the sandbox. Empty without a sandbox, because nothing is mounted in the machine's own file system. */
  readonly binds: readonly Bind[];
  readonly verified: readonly VerifiedFolder[];
  /** Resolves with true while the paths of the volumes still lead to the folders that were checked. */
  isCurrent(): Promise<boolean>;
}

/** Checks the volumes of instances. */
export type Mounts = ReturnType<typeof createMounts>;

/**
 * Creates the volume checks. In a sandbox, volumes are mounted at their mount paths; without one they are visible only at their own path,
 * which `BERTH_VOLUMES` contains. Mount paths are checked again here, because an earlier version or another machine may have accepted them.
 */
export function createMounts(isSandboxed: boolean, policy: MountPolicy) {
  const check = async (mount: HostMount, identity: Identity | undefined): Promise<Stats> => {
    await using folder = await openMount(mount);
    if (identity) await shareWithGroup(folder, mount.source, identity.accountGid);
    if (!isSandboxed && identity && !canReach(mount.source, identity)) {
      throw refuseMount(mount, 'services cannot reach its files without a sandbox. Install bubblewrap on the server');
    }
    return folder.stat();
  };
  return {
    /**
     * Checks the mount paths and folders of volumes and gives the account's group access to them.
     * @param artifact Path of the instance's artifact, which no volume may cover.
     * @throws BerthError `start_failed` with the mount path and what to do.
     */
    async place(mounts: readonly HostMount[], artifact: string, identity: Identity | undefined): Promise<PlacedMounts> {
      const reserved = [...policy.reserved, artifact];
      const judged = mounts.map((mount) => ({ ...mount, target: judge(mount, { ...policy, reserved }) }));
      const binds: Bind[] = [];
      const verified: VerifiedFolder[] = [];
      const found: string[] = [];
      for (const mount of judged) {
        const stats = await check(mount, identity);
        found.push(identify(stats));
        if (!isSandboxed) continue;
        binds.push(mount);
        verified.push({ target: mount.target, device: stats.dev, inode: stats.ino });
      }
      const isCurrent = async (): Promise<boolean> => {
        const now = await Promise.all(mounts.map((mount) => identifySource(mount)));
        return now.every((id, index) => id !== undefined && id === found[index]);
      };
      return { binds, verified, isCurrent };
    },
  };
}

/** Returns the mount path as a valid target. @throws BerthError `start_failed` when the policy doesn't allow it. */
function judge(mount: HostMount, policy: MountPolicy): MountTarget {
  const verdict = judgeMountPath(mount.target, policy);
  if ('target' in verdict) return verdict.target;
  throw refuseMount(mount, `${verdict.problem}. Redeploy with another mount path`);
}

/**
 * Returns a string that identifies a folder. Without a sandbox nothing keeps the folder in use, so a new folder may reuse its inode number; the
 * group and mode tell them apart, because a new folder isn't shared with the group yet.
 */
function identify({ dev, ino, gid, mode }: Stats): string {
  return [dev, ino, gid, mode].join(':');
}

/** Identifies a volume's folder; undefined when it is gone, or its path contains a symlink. */
async function identifySource(mount: HostMount): Promise<string | undefined> {
  try {
    await using folder = await openMount(mount);
    return identify(await folder.stat());
  } catch {
    return undefined;
  }
}
