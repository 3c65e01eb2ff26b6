import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createError } from '@berth/contract';
import type { Mount } from '@berth/runtime';

/**
 * Gives the engine a path that nobody can replace for a folder that tenants can. Invariants:
 * 1. A pin is an empty folder (mode 0) in a folder of the server's own (0700): no tenant names it, none gets into it.
 * 2. What is mounted on a pin is an open descriptor: the folder that was verified, whatever its name leads to by now.
 * 3. A pin holds a folder only from just before a container's start until just after it. The container has a mount of its own then.
 */
export interface MountPins {
  /** Absolute path of a new pin. @throws BerthError `start_failed` where this server may not mount. */
  create(mount: Mount): Promise<string>;
  /** Mounts an open folder on a pin. @throws BerthError `start_failed` when the kernel refuses. */
  hold(pin: string, folder: FileHandle, mount: Mount): Promise<void>;
  /** Idempotent. */
  letGo(pin: string): Promise<void>;
  /** Idempotent. */
  remove(pin: string): Promise<void>;
}

/** Where systems keep mount(8), whatever PATH says. */
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
/** The first descriptor after standard input, output and error, as the child has it. */
const FOLDER_IN_CHILD = '/proc/self/fd/3';

/**
 * Opens the pins and removes those that a killed server left.
 * @param folder Made when missing; the server's own. Undefined for a server that is not root.
 */
export async function openMountPins(folder: string | undefined): Promise<MountPins> {
  const remove = async (pin: string): Promise<void> => {
    await letGo(pin);
    // Never more than the empty folder: what is mounted is a tenant's.
    await rmdir(pin).catch(ignoreMissing);
  };
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) await remove(path.join(folder, name));
  }
  return {
    async create(mount) {
      if (folder === undefined) {
        throw refuse(
          mount,
          "services can replace a folder of its sub_path, and only a server that is root can guard against that: run Berth as root, or mount the volume's root",
        );
      }
      const pin = await mkdtemp(path.join(folder, 'pin-'));
      await rmdir(pin);
      // Not even a program that the engine gives this folder, because it does not see what is mounted on it, can write there.
      await mkdir(pin, { mode: 0o000 });
      return pin;
    },
    async hold(pin, handle, mount) {
      // Without --no-canonicalize mount(8) would follow the descriptor's link to a name, which may lead elsewhere by now.
      const said = await run('mount', ['--no-canonicalize', '--bind', FOLDER_IN_CHILD, pin], handle.fd);
      if (said !== undefined) throw refuse(mount, `the kernel refuses to pin its folder (${said})`);
    },
    letGo,
    remove,
  };
}

/** Lazily: a look at it by somebody else must not keep it. */
async function letGo(pin: string): Promise<void> {
  while (isMountPoint(pin)) {
    const said = await run('umount', ['--no-canonicalize', '--lazy', pin]);
    if (said !== undefined) throw createError('unavailable', `A volume's folder stays mounted at ${pin}: ${said}.`);
  }
}

/** Source: proc_pid_mountinfo(5): the fifth field is the mount point, with octal escapes for what a random name has not. */
function isMountPoint(pin: string): boolean {
  const name = ` ${escapeMountPoint(pin)} `;
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(name);
}

function escapeMountPoint(place: string): string {
  return place.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** What a command says when it fails; undefined when it succeeds. */
async function run(command: string, argv: readonly string[], descriptor?: number): Promise<string | undefined> {
  const extra = descriptor === undefined ? [] : [descriptor];
  const child = spawn(command, argv, { env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe', ...extra] });
  try {
    const [said, [code]] = await Promise.all([
      child.stderr === null ? '' : text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return code === 0 ? undefined : said.trim() || `${command} exited with ${code}`;
  } catch (error) {
    return `${command}: ${(error as Error).message}`;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The error of a volume that is not mounted. */
export function refuse({ target }: Mount, why: string) {
  return createError('start_failed', `The volume for ${target} can't be mounted: ${why}.`);
}
