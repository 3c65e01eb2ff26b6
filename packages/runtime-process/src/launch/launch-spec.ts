import type { OutputSink } from '@berth/runtime';
import type { Bind } from '../bubblewrap/sandbox-arguments.ts';
import type { CgroupLimits } from '../cgroup/cgroup.ts';
import type { Identity } from '../identity/identity.ts';
import type { ProgramNetwork } from '../network/networks.ts';

/** A program to start, confined. What it prints goes to whoever starts it. */
export interface LaunchSpec {
  /** Unique among all that run: names its control group and its record. */
  readonly name: string;
  readonly identity: Identity | undefined;
  /** The program by absolute path, then its arguments. */
  readonly argv: readonly string[];
  readonly workingFolder: string;
  /** All of it. */
  readonly env: Readonly<Record<string, string>>;
  /** Made by `createPrivateFolder`; this program's alone. */
  readonly privateFolder: string;
  /** What it sees besides the system and its private folder; where there is no sandbox, it sees all it may read. */
  readonly binds: readonly Bind[];
  /** Folders whose binds have to be just these, not something they were swapped for. */
  readonly verified: readonly VerifiedFolder[];
  readonly limits: CgroupLimits;
  /** Absent: that of this server. */
  readonly network?: ProgramNetwork;
  /** What it makes may be changed by its group: other services of the account, on a volume. */
  readonly isSharing: boolean;
}

/** What was found where the tenant may change the way to it. */
export interface VerifiedFolder {
  readonly target: string;
  readonly device: number;
  readonly inode: number;
}

/** How a program ended. Exactly one of `exitCode` and `signal` is set. */
export interface LaunchEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The memory limit ended it, or one of its processes without which it could not go on. */
  readonly isOutOfMemory: boolean;
}

/** A program that is all but started. */
export interface PreparedLaunch {
  /** True: it is there, confined, and waits; to start it takes next to nothing. False: it can only be started now. */
  readonly isHeld: Promise<boolean>;
  /** It ended without having been started: the machine took its memory, say. */
  readonly isOver: boolean;
  /** Lets it go, once. */
  start(output: OutputSink): Launched;
  /** Ends it instead. */
  discard(): Promise<void>;
}

/** A program that was started. */
export interface Launched {
  /** Resolves once it replaced the programs that confine it; rejects with {@link NotExecutedError}. */
  readonly executed: Promise<void>;
  /** Settles when all its processes are gone and its output was handed over. Never rejects. */
  readonly ended: Promise<LaunchEnd>;
  /** SIGTERM to each of its processes. */
  terminate(): void;
  /** SIGKILL to all of it, however it tries to get away. {@link ended} follows. */
  kill(): void;
  /** As {@link kill}, and the end is told as the memory limit's. */
  killForMemory(): void;
  pids(): readonly number[];
  cpuMs(): number;
  /** What the memory limit counts. */
  memoryBytes(): number;
  /** Suspends all its processes. */
  freeze(): void;
  /**
   * Lets its processes continue. Returns whether the program has ended: when one of its processes was killed while it was
   * frozen, this waits up to two seconds for that.
   */
  thaw(): Promise<boolean>;
}

/** The program could not be executed: missing interpreter, wrong kind of file, sandbox refused. */
export class NotExecutedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotExecutedError';
  }
}
