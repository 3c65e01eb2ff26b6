import type { SystemView } from './system-view.ts';
import type { UserNamespace } from './user-namespace.ts';

/** The parts that every sandbox on this machine is built from. */
export interface SandboxParts {
  /** Path of `bwrap`. */
  readonly bubblewrap: string;
  /** Path of the compiled system call filter; undefined where this machine can't use it. */
  readonly seccompFilter: string | undefined;
  readonly view: SystemView;
  /** Returns the path of the `/etc/passwd` for sandboxes of a user. */
  readonly passwdFileOf: (uid: number | undefined) => string;
  /** Given when this server is root. */
  readonly userNamespace: UserNamespace | undefined;
}
