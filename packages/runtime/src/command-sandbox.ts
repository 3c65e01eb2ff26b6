import type { Owner } from './runtime.ts';

/** Bounds of one command. Crossing one ends the whole process group. */
export interface CommandLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  readonly processes: number;
  /** Bytes of stdout and stderr together. */
  readonly outputBytes: number;
  /** Bytes that the writable folders may grow to. */
  readonly diskBytes: number;
}

/** A command of a tenant's build. */
export interface CommandSpec {
  readonly owner: Owner;
  /** Never given to a shell. */
  readonly argv: readonly string[];
  /** Absolute; inside one of the writable folders. */
  readonly workingFolder: string;
  /** The whole environment besides `PATH`, `HOME`, `TMPDIR`, which the driver sets unless given. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute folders the command may write; owned by the owner's user. All else of the machine is read-only or invisible. */
  readonly writableFolders: readonly string[];
  readonly readableFolders: readonly string[];
  readonly limits: CommandLimits;
  /** Complete lines without their end, at most 16 KB each (longer ones are cut into several). */
  readonly onLine: (line: string) => void | Promise<void>;
}

/** Why a command ended. `ok` is `exited` with code 0. */
export type CommandOutcome =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timeout' | 'out_of_memory' | 'output_limit' | 'disk_limit' | 'cancelled' };

export interface SealOptions {
  /**
   * No program of the owner wrote to the folder since it was sealed, under whatever user: all in it is the server's to give, also what
   * has further names. Default false: what may be somebody else's is left as it is.
   */
  readonly wasSealed?: boolean;
}

/** Runs a tenant's commands as unprivileged and as confined as the machine allows, at low priority. */
export interface CommandSandbox {
  /**
   * @throws BerthError `build_failed` when the program does not exist.
   */
  run(spec: CommandSpec, options?: { readonly signal?: AbortSignal }): Promise<CommandOutcome>;
  /** Makes `folder` and all below it the owner's user's (nothing to do where the server is not root). Never follows a symlink. */
  giveToOwner(folder: string, owner: Owner): Promise<void>;
  /** Takes it back: the server's own, readable by the owner's user and not writable by it. Never follows a symlink. */
  seal(folder: string, owner: Owner, options?: SealOptions): Promise<void>;
  /** The absolute path of a program that the sandbox would run for `name`, or undefined. */
  findProgram(name: string): Promise<string | undefined>;
  /** The version that this program prints when asked, such as `3.11.2`; undefined when there is no such program or it prints none. */
  findVersion(name: string): Promise<string | undefined>;
}
