import type { Writable } from 'node:stream';
import type { ExecSignal, OutputSink } from '@berth/runtime';
import type { Bind } from '../bubblewrap/sandbox-arguments.ts';
import type { Cgroup, CgroupLimits } from '../cgroup/cgroup.ts';
import type { Identity } from '../identity/can-reach.ts';
import type { ProgramNetwork } from '../network/networks.ts';
import type { Terminal } from './terminal.ts';

/** A program to run confined. */
export interface LaunchSpec {
  /** Name of the control group and the running record; unique among running programs. */
  readonly name: string;
  readonly identity: Identity | undefined;
  /** Absolute path of the program, then its arguments. */
  readonly argv: readonly string[];
  readonly workingFolder: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Made by `createPrivateFolder` for this program only. */
  readonly privateFolder: string;
  /** Folders that the program sees besides the system and its private folder. Without a sandbox it sees everything that it may read. */
  readonly binds: readonly Bind[];
  /** Folders that must still be these when they are mounted, in case a tenant swapped them. */
  readonly verified: readonly VerifiedFolder[];
  readonly limits: CgroupLimits;
  /** Absent: the server's network. */
  readonly network?: ProgramNetwork;
  /** The group may write the program's new files, so that the account's services can share volumes. */
  readonly isSharing: boolean;
  /** Present for a command inside another program's sandbox. */
  readonly session?: SessionSpec;
}

/**
 * A command that runs beside a program, in the same sandbox built again: everything else of its spec is that program's. It has a pid
 * namespace of its own. In a shared one, the program could trace the command while its sandbox is built, before the system call filter is on.
 */
export interface SessionSpec {
  /** The control group of that program, which the command's is in. */
  readonly cgroup: Cgroup | undefined;
  /** Made by `createPrivateFolder` for the command's pipes. A path in it marks the command's processes, in the variable `BERTH_SESSION`. */
  readonly folder: string;
  /** Absent: the command gets pipes, also for its standard input. */
  readonly terminal?: Terminal | undefined;
}

/** The identity of a folder whose path a tenant may change. */
export interface VerifiedFolder {
  readonly target: string;
  readonly device: number;
  readonly inode: number;
}

/** How a program ended. Exactly one of `exitCode` and `signal` is set. */
export interface LaunchEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The memory limit ended the program, or a process that it depends on. */
  readonly isOutOfMemory: boolean;
}

/** A program that is ready to start. */
export interface PreparedLaunch {
  /** True: the program is confined and waits to be started. False: it can't be held back, so it must be started now. */
  readonly isHeld: Promise<boolean>;
  /** The program has ended before it was started, e.g. because the machine ran out of memory. */
  readonly isOver: boolean;
  /** Standard input of a command with pipes. */
  readonly input: Writable | null;
  /** Starts the program. Call it once. */
  start(output: OutputSink): Launched;
  /** Ends the program instead of starting it. */
  discard(): Promise<void>;
}

/** A program that was started. */
export interface Launched {
  /** Resolves when the program has replaced the programs that confine it. Rejects with {@link NotExecutedError}. */
  readonly executed: Promise<void>;
  /** Resolves when all processes have ended and all output was delivered. Never rejects. */
  readonly ended: Promise<LaunchEnd>;
  readonly cgroup: Cgroup | undefined;
  /** Sends SIGTERM to all processes. */
  terminate(): void;
  /** Sends a signal to all processes. */
  signal(name: ExecSignal): void;
  /** Kills all processes, including ones that left the session. {@link ended} follows. */
  kill(): void;
  /** Does the same as {@link kill}, and reports the end as out of memory. */
  killForMemory(): void;
  /** Returns the program's processes. */
  pids(): readonly number[];
  /** Returns the CPU time used so far. */
  cpuMs(): number;
  /** Returns the memory in use, as the memory limit counts it. */
  memoryBytes(): number;
  /** Suspends all processes. */
  freeze(): void;
  /**
   * Lets all processes continue. Returns whether the program has ended; if one of its processes was killed while frozen, waits up to two
   * seconds for that end.
   */
  thaw(): Promise<boolean>;
}

/** Thrown when a program can't be executed: missing interpreter, wrong kind of file, refused sandbox. */
export class NotExecutedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotExecutedError';
  }
}
