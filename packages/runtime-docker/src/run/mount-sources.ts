import { statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { type HostMount, openMount, refuseMount, shareWithGroup } from '@berth/runtime/files';
import type { MountPins } from './mount-pins.ts';

/** A verified folder of a volume and the path that the engine gets. */
export interface MountSource {
  readonly mount: HostMount;
  /** Absolute path that no tenant can replace. */
  readonly enginePath: string;
  readonly isPinned: boolean;
}

/** A pinned volume while its container starts. */
interface HeldMount {
  readonly mount: HostMount;
  /** Device and inode. */
  readonly identity: string;
}

/**
 * Verifies the folders of volumes and gives them their account's group. The tenant controls the contents of a volume, and a symlink
 * on the way to a `sub_path` would lead the engine, which is root, anywhere.
 * @param group The account's group; undefined on a server that isn't root, which can't change groups.
 * @throws BerthError `start_failed` naming the volume that can't be mounted; nothing is left then.
 */
export async function openMountSources(
  mounts: readonly HostMount[],
  pins: MountPins,
  group: number | undefined,
): Promise<MountSource[]> {
  const sources: MountSource[] = [];
  try {
    for (const mount of mounts) {
      await using folder = await openMount(mount);
      if (group !== undefined) await shareWithGroup(folder, mount.source, group);
      else await openToAll(folder);
      const isPinned = !mount.isServerPath;
      sources.push({ mount, isPinned, enginePath: isPinned ? await pins.create(mount) : mount.source });
    }
    return sources;
  } catch (error) {
    await releaseMountSources(sources, pins);
    throw error;
  }
}

/** Removes the pins. Idempotent. */
export async function releaseMountSources(sources: readonly MountSource[], pins: MountPins): Promise<void> {
  for (const { isPinned, enginePath } of sources) if (isPinned) await pins.remove(enginePath);
}

/** The part of what an engine says of a started container that is read here. Pid: of its first process, 0 when it has ended. */
interface StartedContainer {
  readonly State: { readonly Pid: number };
}

/**
 * Runs the start of a container while the pins of its volumes hold their folders, which are verified again.
 * @throws BerthError `start_failed` when a folder is not what it should be, before the start or in the container.
 */
export async function withHeldMounts<Started extends StartedContainer>(
  sources: readonly MountSource[],
  pins: MountPins,
  start: () => Promise<Started>,
): Promise<Started> {
  const pinned = sources.filter(({ isPinned }) => isPinned);
  try {
    const held: HeldMount[] = [];
    for (const { mount, enginePath } of pinned) {
      await using folder = await openMount(mount);
      await pins.hold(enginePath, folder, mount);
      const { dev, ino } = await folder.stat();
      held.push({ mount, identity: `${dev}:${ino}` });
    }
    const started = await start();
    for (const mount of findMisplaced(held, started.State.Pid)) {
      throw refuseMount(
        mount,
        "the engine does not see what this server mounts: run both in one mount namespace (no PrivateMounts or PrivateTmp in the server's unit)",
      );
    }
    return started;
  } finally {
    for (const { enginePath } of pinned) await pins.letGo(enginePath);
  }
}

/** Returns the volumes that a running container doesn't see as verified, or all of them if it can't be inspected. */
function findMisplaced(held: readonly HeldMount[], pid: number): HostMount[] {
  return held.flatMap(({ mount, identity }) => {
    try {
      const { dev, ino } = statSync(path.join(`/proc/${pid}/root`, mount.target));
      return `${dev}:${ino}` === identity ? [] : [mount];
    } catch {
      return isRunning(pid) ? [mount] : [];
    }
  });
}

function isRunning(pid: number): boolean {
  return pid > 0 && statSync(`/proc/${pid}`, { throwIfNoEntry: false }) !== undefined;
}

/** A server that is not root can't give it to a group that is not its own; no one else can access its location. */
async function openToAll(folder: FileHandle): Promise<void> {
  const { uid, mode } = await folder.stat();
  if (uid === process.getuid?.()) await folder.chmod((mode & 0o7777) | 0o2777);
}
