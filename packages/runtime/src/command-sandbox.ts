import type { Owner } from './runtime.ts';

/** Limits of one command. Exceeding one ends all processes of the command. */
export interface CommandLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  readonly processes: number;
  /** Bytes of stdout and stderr together. */
  readonly outputBytes: number;
  /** Maximum size of the writable folders together. */
  readonly diskBytes: number;
}

/** A command of a tenant's build. */
export interface CommandSpec {
  readonly owner: Owner;
  /** Executed directly, never by a shell. */
  readonly argv: readonly string[];
  /** Absolute path inside one of the writable folders. */
  readonly workingFolder: string;
  /** The whole environment, apart from `PATH`, `HOME` and `TMPDIR`, which the driver sets unless they are given. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute paths of the folders that the command may write, owned by the owner's user. The rest of the machine is read-only or invisible. */
  readonly writableFolders: readonly string[];
  /** Absolute paths of further folders that the command may read. */
  readonly readableFolders: readonly string[];
  readonly limits: CommandLimits;
  /** Receives complete lines without their line ending, one call at a time. Lines over 16 KiB are split. */
  readonly onLine: (line: string) => void | Promise<void>;
}

/** The reason that a command ended. Success is `exited` with code 0. */
export type CommandOutcome =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timeout' | 'out_of_memory' | 'output_limit' | 'disk_limit' | 'cancelled' };

/** Options of {@link CommandSandbox.seal}. */
export interface SealOptions {
  /**
   * The folder was sealed before, and no program of the owner has written to it since, under any user. Then files with several hard
   * links are sealed too. Default false: such files stay unchanged, because they may belong to another user.
   */
  readonly wasSealed?: boolean;
}

/** Runs a tenant's commands without privileges, at low priority, and as confined as the machine allows. */
export interface CommandSandbox {
  /**
   * Runs a command to its end. Aborting `signal` ends the command with the outcome `cancelled`.
   * @throws BerthError `build_failed` when the program doesn't exist.
   */
  run(spec: CommandSpec, options?: { readonly signal?: AbortSignal }): Promise<CommandOutcome>;
  /** Makes the owner's user the owner of `folder` and everything below it. Does nothing unless the server is root. Never follows a symlink. */
  giveToOwner(folder: string, owner: Owner): Promise<void>;
  /** Makes the server the owner of `folder` again: the owner's user can read it, but not write it. Never follows a symlink. */
  seal(folder: string, owner: Owner, options?: SealOptions): Promise<void>;
  /** Returns the absolute path of the program that the sandbox would run for `name`, or undefined. */
  findProgram(name: string): Promise<string | undefined>;
  /** Returns the version that the program reports, such as `3.11.2`, or undefined when it doesn't exist or prints no version. */
  findVersion(name: string): Promise<string | undefined>;
}
