import { join } from 'node:path';
import type { Clock } from '@berth/kit';
import { createPasswdFiles } from '../bubblewrap/passwd-files.ts';
import { probeBubblewrap } from '../bubblewrap/probe-bubblewrap.ts';
import type { SandboxParts } from '../bubblewrap/sandbox-parts.ts';
import { createSystemView } from '../bubblewrap/system-view.ts';
import { openUserNamespace, type UserNamespace } from '../bubblewrap/user-namespace.ts';
import { SYSTEM_PROGRAM_FOLDERS } from '../host/find-executable.ts';
import { findTools, type Tools } from '../host/tools.ts';
import type { IdRange } from '../identity/id-range.ts';

/** What this machine has to confine programs with. */
export interface Host {
  readonly tools: Tools;
  /** Absent: there is no sandbox, for the reason in `sandboxProblem`. */
  readonly sandbox?: SandboxParts;
  readonly sandboxProblem?: string;
}

export interface InspectHostOptions {
  readonly isolation: 'auto' | 'none';
  /** The server's own: scratch, and what sandboxes show of `/etc`. */
  readonly stateFolder: string;
  /** Given when this server is root. */
  readonly range: IdRange | undefined;
  /** Path of the compiled filter of system calls to try. */
  readonly seccompFilter: string | undefined;
  /** See `ConfinementOptions`. */
  readonly allowsNestedSandboxes: boolean;
  readonly clock: Clock;
}

/** Tries what it finds: installed is not usable. Programs that run before privileges are dropped come from the system's folders only. */
export async function inspectHost(options: InspectHostOptions): Promise<Host> {
  const { isolation, stateFolder, range, seccompFilter, allowsNestedSandboxes, clock } = options;
  const tools = await findTools(SYSTEM_PROGRAM_FOLDERS, range, clock);
  if (isolation === 'none') return { tools, sandboxProblem: 'switched off' };
  if (process.platform !== 'linux') return { tools, sandboxProblem: 'there is one on Linux only' };
  const viewFolder = join(stateFolder, 'view');
  const view = await createSystemView(viewFolder);
  const passwdFileOf = createPasswdFiles(viewFolder);
  let userNamespace: UserNamespace | undefined;
  try {
    userNamespace =
      range && (await openUserNamespace(SYSTEM_PROGRAM_FOLDERS, { isLast: !allowsNestedSandboxes, clock }));
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
    clock,
  });
  if (probe.path !== undefined) {
    const bubblewrap = { bubblewrap: probe.path, seccompFilter: probe.seccompFilter };
    return { tools, sandbox: { ...bubblewrap, view, passwdFileOf, userNamespace } };
  }
  userNamespace?.close();
  return { tools, sandboxProblem: probe.problem ?? 'unknown' };
}
