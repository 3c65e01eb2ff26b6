import { findExecutable, runProbe } from '@berth/runtime/drivers';
import { readIfThere } from '@berth/runtime/files';
import type { Identity } from '../identity/can-reach.ts';
import type { IdRange } from '../identity/id-range.ts';

/** Absolute paths of system programs that start other programs under limits. A program that doesn't work here is absent. */
export interface Tools {
  /** Changes the user, drops privileges permanently, and ends a program when its parent dies. From util-linux. */
  readonly setpriv?: string | undefined;
  /** Sets resource limits. From util-linux. */
  readonly prlimit?: string | undefined;
  /** Makes named pipes, which Node can't. From coreutils. */
  readonly mkfifo?: string | undefined;
  readonly nice?: string | undefined;
  readonly ionice?: string | undefined;
  /** Sets variables after privileges were dropped. From coreutils. */
  readonly env?: string | undefined;
  /** Gives a program a session of its own, with a terminal. From util-linux. */
  readonly setsid?: string | undefined;
}

/**
 * Finds the tools and tries each of them.
 * @param folders Where to look for them.
 * @param range Given when this server is root: `setpriv` must be able to switch to a user of the range.
 */
export async function findTools(folders: readonly string[], range: IdRange | undefined): Promise<Tools> {
  const noop = findExecutable('true', folders);
  if (noop === undefined) return {};
  const works = async (name: string, ...args: string[]): Promise<string | undefined> => {
    const path = findExecutable(name, folders);
    if (path === undefined) return undefined;
    return (await runProbe([path, ...args])).isOk ? path : undefined;
  };
  const privileges = range ? privilegeArguments({ uid: range.first, gid: range.first, accountGid: range.first }) : [];
  const [setpriv, prlimit, mkfifo, nice, ionice, env, setsid] = await Promise.all([
    works('setpriv', ...privileges, ...LEASH, noop),
    works('prlimit', ...limitArguments({}), noop),
    works('mkfifo', '--version').then((path) => path ?? findExecutable('mkfifo', folders)),
    works('nice', ...NICE, noop),
    works('ionice', ...IO_NICE, noop),
    works('env', 'A=B', noop),
    works('setsid', noop),
  ]);
  return { setpriv, prlimit, mkfifo, nice, ionice, env, setsid };
}

/** Arguments of `nice`: lower priority than services. */
export const NICE = ['-n', '10'] as const;
/** Arguments of `ionice`: disk access only when no other program needs it. */
export const IO_NICE = ['-c', '3'] as const;
/** Arguments of `setpriv`: the program can't gain privileges, and is killed when the server dies. */
export const LEASH = ['--no-new-privs', '--pdeathsig', 'KILL'] as const;

/** Returns the arguments of `setpriv` that switch to a user without any capabilities. */
export function privilegeArguments(identity: Identity): string[] {
  return [
    `--reuid=${identity.uid}`,
    `--regid=${identity.gid}`,
    `--groups=${identity.accountGid}`,
    '--inh-caps=-all',
    '--bounding-set=-all',
  ];
}

/** More than any server needs, yet few enough for programs that iterate over all possible descriptors. */
const OPEN_FILES = 65_536;

/** Returns the arguments of `prlimit`: no core dumps (they contain secrets and fill disks), a common limit of open files. */
export function limitArguments({ processes }: { readonly processes?: number | undefined }): string[] {
  const openFiles = Math.min(OPEN_FILES, readOpenFilesLimit());
  const args = ['--core=0:0', `--nofile=${openFiles}:${openFiles}`];
  return processes === undefined ? args : [...args, `--nproc=${processes}:${processes}`];
}

/** Reads the hard limit of this process. Raising it takes a privilege that containers often lack. */
function readOpenFilesLimit(): number {
  const hard = /^Max open files\s+\S+\s+(\d+)/m.exec(readIfThere('/proc/self/limits'))?.[1];
  return hard === undefined ? OPEN_FILES : Number(hard);
}
