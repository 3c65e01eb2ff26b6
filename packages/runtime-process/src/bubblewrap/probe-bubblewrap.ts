import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable, type ProbeResult, runProbe } from '@berth/runtime/drivers';
import type { Tools } from '../host/tools.ts';
import type { IdRange } from '../identity/id-range.ts';
import { withFilter } from '../seccomp/filter.ts';
import { ownUser, type SandboxOptions, sandboxArguments } from './sandbox-arguments.ts';
import type { UserNamespace } from './user-namespace.ts';

/** The first of the descriptors that a probe inherits. */
const NAMESPACE_FD = 3;

/** The result of {@link probeBubblewrap}. */
export interface BubblewrapProbe {
  /** Path of `bwrap`; absent when it doesn't work. */
  readonly path?: string;
  /** Path of the system call filter; absent when bubblewrap doesn't work with it. */
  readonly seccompFilter?: string;
  /** Why bubblewrap doesn't work, for people. */
  readonly problem?: string;
}

/** Options of {@link probeBubblewrap}. */
export interface BubblewrapProbeOptions {
  /** Where to look for programs. */
  readonly folders: readonly string[];
  readonly sandbox: Pick<SandboxOptions, 'view' | 'passwdFile'>;
  /** A folder of the server for scratch files. */
  readonly scratchFolder: string;
  readonly tools: Tools;
  /** Given when this server is root: the ids to run the trial program with, and its user namespace. */
  readonly root: { readonly range: IdRange; readonly namespace: UserNamespace } | undefined;
  /** Path of the compiled system call filter. */
  readonly seccompFilter: string | undefined;
}

/**
 * Runs a trial program to see whether bubblewrap works on this machine: it may be missing, or namespaces may be forbidden (in a
 * container; for plain users by AppArmor or a sysctl). When only the system call filter fails, the sandbox is used without it.
 */
export async function probeBubblewrap(options: BubblewrapProbeOptions): Promise<BubblewrapProbe> {
  const { folders, sandbox, scratchFolder, tools, root, seccompFilter } = options;
  const path = findExecutable('bwrap', folders);
  const noop = findExecutable('true', folders);
  if (path === undefined || noop === undefined) return { problem: 'bubblewrap is not installed' };
  if (root && !tools.setpriv)
    return { problem: 'setpriv (util-linux), which bubblewrap needs when run by root, is missing' };
  const privateFolder = join(scratchFolder, 'probe');
  await rm(privateFolder, { recursive: true, force: true });
  for (const name of ['tmp', 'shm']) await mkdir(join(privateFolder, name), { recursive: true });
  const identity = root && { uid: root.range.first, gid: root.range.first, accountGid: root.range.first };
  const namespace = root ? [root.namespace.descriptor] : [];
  const run = (filterPath: string | undefined): Promise<ProbeResult> =>
    withFilter(filterPath, (filter) => {
      const args = sandboxArguments({
        ...sandbox,
        hidden: [],
        binds: [],
        privateFolder,
        etcFiles: {},
        workingFolder: '/',
        user: identity ? { kind: 'identity', identity, namespaceFd: NAMESPACE_FD } : ownUser(),
        lateEnv: {},
        statusFd: 1,
        // Standard input is /dev/null, whose end of file opens the gate.
        blockFd: 0,
        seccompFd: filter === undefined ? undefined : NAMESPACE_FD + namespace.length,
      });
      const descriptors = [...namespace, ...(filter === undefined ? [] : [filter])];
      return runProbe([path, ...args, '--', noop], { descriptors });
    });
  const filtered = seccompFilter === undefined ? undefined : await run(seccompFilter);
  // A probe that timed out has no exit code, which says nothing about the filter.
  const isRefused = filtered !== undefined && !filtered.isOk && filtered.exitCode !== null;
  const result = filtered && !isRefused ? filtered : await run(undefined);
  await rm(privateFolder, { recursive: true, force: true });
  if (!result.isOk) return { problem: `bubblewrap is installed but refused: ${firstProblem(result.output)}` };
  return { path, ...(seccompFilter !== undefined && !isRefused && { seccompFilter }) };
}

/** Returns the first line of output after the status line, which is JSON. */
function firstProblem(output: string): string {
  const line = output.split('\n').find((text) => text !== '' && !text.startsWith('{'));
  return line ?? 'it ended without output';
}
