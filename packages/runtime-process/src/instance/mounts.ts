import type { Stats } from 'node:fs';
import { type FileHandle, readlink, realpath } from 'node:fs/promises';
import { platform } from 'node:os';
import { createError, judgeMountPath, type MountPolicy, type MountTarget } from '@berth/contract';
import type { Mount } from '@berth/runtime';
import { openFolder, shareWithGroup } from '@berth/runtime/files';
import type { Bind } from '../bubblewrap/sandbox-arguments.ts';
import { canReach } from '../identity/can-reach.ts';
import type { Identity } from '../identity/identity.ts';
import type { VerifiedFolder } from '../launch/launch-spec.ts';

/** The volumes of an instance, checked. */
export interface PlacedMounts {
  /** For a sandbox; without one, none: nothing is put into the machine's file system. */
  readonly binds: readonly Bind[];
  readonly verified: readonly VerifiedFolder[];
  /** Returns whether the folders that were found are still those of their names. */
  isCurrent(): Promise<boolean>;
}

export interface Mounts {
  /**
   * @param artifact The folder that the instance runs, which no volume may cover.
   * @throws BerthError `start_failed` naming the mount path, and what to do about it.
   */
  place(mounts: readonly Mount[], artifact: string, identity: Identity | undefined): Promise<PlacedMounts>;
}

export interface MountsOptions {
  readonly isSandboxed: boolean;
  readonly policy: MountPolicy;
}

/**
 * Makes volumes visible to instances: in a sandbox as mounts; without one only at their own path, which `BERTH_VOLUMES`
 * gives. Mount paths were checked when they were set, but perhaps by an earlier version, or on another machine.
 */
export function createMounts({ isSandboxed, policy }: MountsOptions): Mounts {
  const check = async (mount: Mount, identity: Identity | undefined): Promise<Stats> => {
    await using folder = await openSource(mount);
    if (identity) await shareWithGroup(folder, mount.source, identity.accountGid);
    if (!isSandboxed && identity && !canReach(mount.source, identity)) {
      throw refuse(mount, 'services can not reach its files without a sandbox. Install bubblewrap on the server');
    }
    return folder.stat();
  };
  return {
    async place(mounts, artifact, identity) {
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

/** @throws BerthError `start_failed` when the policy does not allow the mount path. */
function judge(mount: Mount, policy: MountPolicy): MountTarget {
  const verdict = judgeMountPath(mount.target, policy);
  if ('target' in verdict) return verdict.target;
  throw refuse(mount, `${verdict.problem}. Redeploy with another mount path`);
}

/**
 * A service that has the volume elsewhere can put symlinks into it, at any moment: the folder is opened, and asked by
 * what way it was reached.
 */
async function openSource(mount: Mount): Promise<FileHandle> {
  const { source } = mount;
  const folder = await openFolder(source);
  if (!folder) throw refuse(mount, 'its folder is not there, or is a symlink');
  try {
    const real = platform() === 'linux' ? await readlink(`/proc/self/fd/${folder.fd}`) : await realpath(source);
    if (real !== source) throw refuse(mount, 'the way to its folder leads through a symlink');
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Without a sandbox nothing holds the folder, and a new one may get its inode number. It is not shared with the group yet. */
function identify({ dev, ino, gid, mode }: Stats): string {
  return [dev, ino, gid, mode].join(':');
}

/** Undefined when it is not there any more, or reached another way. */
async function identifySource(mount: Mount): Promise<string | undefined> {
  try {
    await using folder = await openSource(mount);
    return identify(await folder.stat());
  } catch {
    return undefined;
  }
}

function refuse({ target }: Mount, why: string) {
  return createError('start_failed', `The volume for ${target} can't be mounted: ${why}.`);
}
