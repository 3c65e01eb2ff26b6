import { join } from 'node:path';
import type { Clock } from '@berth/kit';
import { SYSTEM_PROGRAM_FOLDERS } from '@berth/runtime/drivers';
import { createPasswdFiles } from '../bubblewrap/passwd-files.ts';
import { probeBubblewrap } from '../bubblewrap/probe-bubblewrap.ts';
import { createSystemView, type SandboxParts } from '../bubblewrap/system-view.ts';
import { openUserNamespace, type UserNamespace } from '../bubblewrap/user-namespace.ts';
import { findTools, type Tools } from '../host/tools.ts';
import type { IdRange } from '../identity/id-range.ts';

/** The means of confinement that work on this machine. */
export interface Host {
  readonly tools: Tools;
  /** Absent when there is no sandbox, for the reason in `sandboxProblem`. */
  readonly sandbox?: SandboxParts;
  readonly sandboxProblem?: string;
}

/** Options of {@link inspectHost}. */
export interface InspectHostOptions {
  readonly isolation: 'auto' | 'none';
  /** A folder of the server, for scratch files and the sandboxes' copy of `/etc`. */
  readonly stateFolder: string;
  /** The user ids of services; given when this server is root. */
  readonly range: IdRange | undefined;
  /** Path of the compiled system call filter to try. */
  readonly seccompFilter: string | undefined;
  /** See `ConfinementOptions`. */
  readonly allowsNestedSandboxes: boolean;
  readonly clock: Clock;
}

/**
 * Finds the tools and the sandbox of this machine, and tries them out, because an installed program may not work. Programs that run before
 * privileges are dropped come from the system's folders only.
 */
export async function inspectHost(options: InspectHostOptions): Promise<Host> {
  const { isolation, stateFolder, range, seccompFilter, allowsNestedSandboxes, clock } = options;
  const tools = await findTools(SYSTEM_PROGRAM_FOLDERS, range);
  if (isolation === 'none') return { tools, sandboxProblem: 'switched off' };
  if (process.platform !== 'linux') return { tools, sandboxProblem: 'only supported on Linux' };
  const viewFolder = join(stateFolder, 'view');
  const view = await createSystemView(viewFolder);
  const passwdFileOf = createPasswdFiles(viewFolder);
  let userNamespace: UserNamespace | undefined;
  try {
    userNamespace = range && (await openUserNamespace(SYSTEM_PROGRAM_FOLDERS, !allowsNestedSandboxes, clock));
  } catch (error) {
    return { tools, sandboxProblem: (error as Error).message };
  }
  const probe = await probeBubblewrap({
    folders: SYSTEM_PROGRAM_FOLDERS,
    sandbox: { view, passwdFile: passwdFileOf(range?.first) },
    scratchFolder: stateFolder,
    tools,
    root: range && userNamespace && { range, namespace: userNamespace },
    seccompFilter,
  });
  if (probe.path !== undefined) {
    const bubblewrap = { bubblewrap: probe.path, seccompFilter: probe.seccompFilter };
    return { tools, sandbox: { ...bubblewrap, view, passwdFileOf, userNamespace } };
  }
  userNamespace?.close();
  return { tools, sandboxProblem: probe.problem ?? 'unknown' };
}
