import type { SystemView } from './system-view.ts';
import type { UserNamespace } from './user-namespace.ts';

/** What a sandbox on this machine is built with. */
export interface SandboxParts {
  /** Path of `bwrap`. */
  readonly bubblewrap: string;
  /** Path of the compiled filter of system calls; undefined where this machine can't use it. */
  readonly seccompFilter: string | undefined;
  readonly view: SystemView;
  readonly passwdFileOf: (uid: number | undefined) => string;
  /** Given when this server is root. */
  readonly userNamespace: UserNamespace | undefined;
}
