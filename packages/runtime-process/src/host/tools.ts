import { readFileSync } from 'node:fs';
import type { Clock } from '@berth/kit';
import type { IdRange } from '../identity/id-range.ts';
import { findExecutable } from './find-executable.ts';
import { runProbe } from './run-probe.ts';

/** Programs of the system that start other programs under limits. Each by absolute path, and only if it works here. */
export interface Tools {
  /** Changes the user, drops privileges for good, ties the life of a program to its parent's. util-linux. */
  readonly setpriv?: string;
  /** Sets resource limits. util-linux. */
  readonly prlimit?: string;
  /** Makes named pipes; Node can't. coreutils. */
  readonly mkfifo?: string;
  readonly nice?: string;
  readonly ionice?: string;
  /** Sets variables after privileges were dropped. coreutils. */
  readonly env?: string;
}

/** @param range When given, this server is root and `setpriv` has to be able to become a user of it. */
export async function findTools(folders: readonly string[], range: IdRange | undefined, clock: Clock): Promise<Tools> {
  const noop = findExecutable('true', folders);
  if (noop === undefined) return {};
  const works = async (name: string, ...args: string[]): Promise<string | undefined> => {
    const path = findExecutable(name, folders);
    if (path === undefined) return undefined;
    return (await runProbe([path, ...args], clock)).isOk ? path : undefined;
  };
  const privileges = range ? privilegeArguments({ uid: range.first, gid: range.first, accountGid: range.first }) : [];
  const [setpriv, prlimit, mkfifo, nice, ionice, env] = await Promise.all([
    works('setpriv', ...privileges, ...LEASH, noop),
    works('prlimit', ...limitArguments({}), noop),
    works('mkfifo', '--version').then((path) => path ?? findExecutable('mkfifo', folders)),
    works('nice', ...NICE, noop),
    works('ionice', ...IO_NICE, noop),
    works('env', 'A=B', noop),
  ]);
  return {
    ...(setpriv === undefined ? {} : { setpriv }),
    ...(prlimit === undefined ? {} : { prlimit }),
    ...(mkfifo === undefined ? {} : { mkfifo }),
    ...(nice === undefined ? {} : { nice }),
    ...(ionice === undefined ? {} : { ionice }),
    ...(env === undefined ? {} : { env }),
  };
}

/** For `nice`: below everything that serves. */
export const NICE = ['-n', '10'] as const;
/** For `ionice`: the disk only when nobody else wants it. */
export const IO_NICE = ['-c', '3'] as const;
/** For `setpriv`: nothing that is run from here on gains a privilege, and it ends when the server does. */
export const LEASH = ['--no-new-privs', '--pdeathsig', 'KILL'] as const;

/** For `setpriv`: another user, and none of root's capabilities. */
export function privilegeArguments(identity: { uid: number; gid: number; accountGid: number }): string[] {
  return [
    `--reuid=${identity.uid}`,
    `--regid=${identity.gid}`,
    `--groups=${identity.accountGid}`,
    '--inh-caps=-all',
    '--bounding-set=-all',
  ];
}

/** More than any server needs; a program that goes through all descriptors there may be is still quick. */
const OPEN_FILES = 65_536;

/** For `prlimit`: no core dumps (they hold secrets and fill disks), a usual number of open files. */
export function limitArguments({ processes }: { readonly processes?: number | undefined }): string[] {
  const openFiles = Math.min(OPEN_FILES, readOpenFilesLimit());
  const args = ['--core=0:0', `--nofile=${openFiles}:${openFiles}`];
  return processes === undefined ? args : [...args, `--nproc=${processes}:${processes}`];
}

/** The hard limit of this process: it can't be raised without a privilege that containers often lack. */
function readOpenFilesLimit(): number {
  try {
    const hard = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return hard === undefined ? OPEN_FILES : Number(hard);
  } catch {
    return OPEN_FILES;
  }
}
