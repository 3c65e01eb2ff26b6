import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@berth/kit';
import { findExecutable } from '../host/find-executable.ts';
import { runProbe } from '../host/run-probe.ts';
import { privilegeArguments, type Tools } from '../host/tools.ts';
import type { IdRange } from '../identity/id-range.ts';
import { type SandboxOptions, sandboxArguments } from './sandbox-arguments.ts';

export interface BubblewrapProbe {
  /** Given when it works. */
  readonly path?: string;
  /** Why not, for people. */
  readonly problem?: string;
}

export interface BubblewrapProbeOptions {
  readonly folders: readonly string[];
  readonly sandbox: Pick<SandboxOptions, 'view' | 'passwdFile' | 'isRoot'>;
  /** A folder of ours where an empty one can be made. */
  readonly scratchFolder: string;
  readonly tools: Tools;
  /** Given when this server is root: then the program inside changes its user. */
  readonly range: IdRange | undefined;
  readonly clock: Clock;
}

/**
 * Finds out by doing whether bubblewrap can confine a program here: it may be missing, or namespaces may be forbidden (in
 * a container; to plain users by AppArmor or a sysctl).
 */
export async function probeBubblewrap(options: BubblewrapProbeOptions): Promise<BubblewrapProbe> {
  const { folders, sandbox, scratchFolder, tools, range, clock } = options;
  const path = findExecutable('bwrap', folders);
  const noop = findExecutable('true', folders);
  if (path === undefined || noop === undefined) return { problem: 'bubblewrap is not installed' };
  if (range && !tools.setpriv)
    return { problem: 'setpriv (util-linux), which bubblewrap needs when run by root, is missing' };
  const privateFolder = join(scratchFolder, 'probe');
  await rm(privateFolder, { recursive: true, force: true });
  for (const name of ['tmp', 'shm']) await mkdir(join(privateFolder, name), { recursive: true });
  const args = sandboxArguments({
    ...sandbox,
    hidden: [],
    binds: [],
    privateFolder,
    workingFolder: '/',
    statusFd: 1,
    // Standard input is /dev/null: the end of it opens the gate.
    blockFd: 0,
  });
  const wrapper = range && tools.setpriv ? [tools.setpriv, ...privilegeArguments(rangeUser(range))] : [];
  const result = await runProbe([path, ...args, '--', ...wrapper, noop], clock);
  await rm(privateFolder, { recursive: true, force: true });
  return result.isOk ? { path } : { problem: `bubblewrap is installed but refused: ${firstProblem(result.output)}` };
}

function rangeUser({ first }: IdRange) {
  return { uid: first, gid: first, accountGid: first };
}

/** Past the status line, which is JSON. */
function firstProblem(output: string): string {
  const line = output.split('\n').find((text) => text !== '' && !text.startsWith('{'));
  return line ?? 'it ended without a word';
}
