import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createError } from '@berth/contract';
import { type HostMount, ignoreMissing, refuseMount } from '@berth/runtime/files';

/**
 * Provides irreplaceable paths, called pins, to folders whose own path a tenant can change. Invariants:
 * 1. A pin is an empty folder (mode 0) in a folder of the server (0700), which no tenant can name or enter.
 * 2. A verified folder is mounted on a pin by its open descriptor, whatever its path leads to since then.
 * 3. A folder is mounted on a pin only while its container starts. Afterwards the container has its own mount.
 */
export type MountPins = Awaited<ReturnType<typeof openMountPins>>;

/** Where systems keep mount(8), whatever PATH says. */
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
/** The first descriptor after standard input, output and error, as the child has it. */
const FOLDER_IN_CHILD = '/proc/self/fd/3';

/**
 * Opens the pins and removes those that a killed server left.
 * @param folder Made when missing; the server's own. Undefined for a server that is not root.
 */
export async function openMountPins(folder: string | undefined) {
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
    /** Makes a pin and returns its absolute path. @throws BerthError `start_failed` when this server may not mount. */
    async create(mount: HostMount): Promise<string> {
      if (folder === undefined) {
        throw refuseMount(
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
    /** Mounts an open folder on a pin. @throws BerthError `start_failed` when the kernel refuses. */
    async hold(pin: string, handle: FileHandle, mount: HostMount): Promise<void> {
      // Without --no-canonicalize mount(8) would follow the descriptor's link to a name, which may lead elsewhere by now.
      const said = await run('mount', ['--no-canonicalize', '--bind', FOLDER_IN_CHILD, pin], handle.fd);
      if (said !== undefined) throw refuseMount(mount, `the kernel refuses to pin its folder (${said})`);
    },
    /** Unmounts the folder from a pin. Idempotent. */
    letGo,
    /** Removes a pin. Idempotent. */
    remove,
  };
}

/** Unmounts lazily, so that another program that has the folder open can't prevent it. */
async function letGo(pin: string): Promise<void> {
  while (isMountPoint(pin)) {
    const said = await run('umount', ['--no-canonicalize', '--lazy', pin]);
    if (said !== undefined) throw createError('unavailable', `A volume's folder stays mounted at ${pin}: ${said}.`);
  }
}

/** Source: proc_pid_mountinfo(5): the fifth field is the mount point, with octal escapes for what a random name has not. */
function isMountPoint(pin: string): boolean {
  const name = pin.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${name} `);
}

/** Runs a command. Returns its error output when it fails, and undefined when it succeeds. */
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
