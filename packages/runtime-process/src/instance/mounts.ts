import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { type FileHandle, readlink, realpath, symlink, unlink } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { createError } from '@berth/contract';
import type { Mount } from '@berth/runtime';
import { openFolder, shareWithGroup } from '@berth/runtime/files';
import type { Bind } from '../bubblewrap/sandbox-arguments.ts';
import { isInside } from '../host/is-inside.ts';
import { canReach } from '../identity/can-reach.ts';
import type { Identity } from '../identity/identity.ts';
import type { VerifiedFolder } from '../launch/launch-spec.ts';

/** The volumes of an instance, in place. */
export interface PlacedMounts {
  /** For a sandbox. */
  readonly binds: readonly Bind[];
  readonly verified: readonly VerifiedFolder[];
  /** Without a sandbox: paths that were not free. The volume is where its environment says, and nowhere else. */
  readonly notAtTheirPath: readonly string[];
  /** The folders that were found are still those of their names. */
  isCurrent(): Promise<boolean>;
  /** Takes away what was put into the file system for it. */
  release(): Promise<void>;
}

export interface Mounts {
  /** @throws BerthError `start_failed` saying which volume can't be had, and why. */
  place(mounts: readonly Mount[], identity: Identity | undefined): Promise<PlacedMounts>;
}

export interface MountsOptions {
  readonly isSandboxed: boolean;
  /** Links below it that nobody uses are left over from a server that was killed. */
  readonly dataFolders: readonly string[];
}

/**
 * Makes volumes visible at their paths: in a sandbox as mounts; without one as a symlink at the very path, where that is free on
 * this machine and this server may make it.
 */
export function createMounts({ isSandboxed, dataFolders }: MountsOptions): Mounts {
  /** How many instances use each link. */
  const links = new Map<string, number>();

  const check = async (mount: Mount, identity: Identity | undefined): Promise<Stats> => {
    await using folder = await openSource(mount);
    if (identity) await shareWithGroup(folder, mount.source, identity.accountGid);
    return folder.stat();
  };
  /** False where the path is not to be had. */
  const placeLink = async (mount: Mount, identity: Identity | undefined): Promise<boolean> => {
    const { source, target } = mount;
    if (identity && !canReach(source, identity))
      throw refuse(mount, 'services can not reach its files without a sandbox');
    const users = links.get(target) ?? 0;
    const present = lstatSync(target, { throwIfNoEntry: false });
    const isLeftover = users === 0 && present?.isSymbolicLink() && isOurs(readlinkSync(target));
    if (isLeftover) await unlink(target);
    if (isLeftover || !present) {
      try {
        await symlink(source, target);
      } catch {
        return false;
      }
    } else if (!present.isSymbolicLink() || readlinkSync(target) !== source) return false;
    links.set(target, users + 1);
    return true;
  };
  const isOurs = (path: string): boolean => dataFolders.some((folder) => isInside(path, folder));
  const removeLink = async (target: string): Promise<void> => {
    const users = (links.get(target) ?? 1) - 1;
    links.set(target, users);
    if (users > 0) return;
    links.delete(target);
    await unlink(target).catch(() => {});
  };

  return {
    async place(mounts, identity) {
      const binds: Bind[] = [];
      const verified: VerifiedFolder[] = [];
      const linked: string[] = [];
      const notAtTheirPath: string[] = [];
      const found: string[] = [];
      const release = async (): Promise<void> => {
        for (const target of linked.splice(0)) await removeLink(target);
      };
      try {
        for (const mount of mounts) {
          const { dev, ino } = await check(mount, identity);
          found.push(`${dev}:${ino}`);
          const { target } = mount;
          if (isSandboxed) {
            binds.push(mount);
            verified.push({ target, device: dev, inode: ino });
          } else if (await placeLink(mount, identity)) linked.push(target);
          else notAtTheirPath.push(target);
        }
      } catch (error) {
        await release();
        throw error;
      }
      const isCurrent = async (): Promise<boolean> => {
        const now = await Promise.all(mounts.map((mount) => identifySource(mount)));
        return now.every((id, index) => id !== undefined && id === found[index]);
      };
      return { binds, verified, notAtTheirPath, isCurrent, release };
    },
  };
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

/** Device and inode; undefined when it is not there any more, or reached another way. */
async function identifySource(mount: Mount): Promise<string | undefined> {
  try {
    await using folder = await openSource(mount);
    const { dev, ino } = await folder.stat();
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function refuse({ target }: Mount, why: string) {
  const remedy = 'Install bubblewrap on the server, or choose another mount path.';
  return createError(
    'start_failed',
    `The volume for ${dirname(target) === target ? '/' : target} can not be mounted: ${why}. ${remedy}`,
  );
}
