import type { MountPolicy } from '@berth/contract';
import type { InstanceId } from '@berth/kit';
import type { Artifact } from './artifact.ts';

/** Whose program runs: the unit of isolation. Two owners never share a user id, a folder or a sandbox. */
export interface Owner {
  readonly account: string;
  readonly deployment: string;
}

/** A folder of a volume made visible to an instance. */
export interface Mount {
  /** Absolute path on the host; exists. */
  readonly source: string;
  /** The mount path, as the tenant wrote it. A driver without a file system for each instance mounts nothing there. */
  readonly target: string;
  readonly isReadOnly: boolean;
  /** No tenant can replace a folder on the way to `source`. Default false: it may change between any two looks at it. */
  readonly isServerPath?: boolean;
}

export type OutputStream = 'stdout' | 'stderr';

/**
 * Takes what a program prints, in order, as raw bytes. A returned promise is back-pressure: the pipe is not read
 * further until it settles, so a sink that never settles stalls the program once the pipe is full.
 */
export type OutputSink = (stream: OutputStream, chunk: Uint8Array) => void | Promise<void>;

/** Everything a driver needs to start one instance. */
export interface InstanceSpec {
  readonly instanceId: InstanceId;
  readonly owner: Owner;
  readonly revision: string;
  readonly artifact: Artifact;
  /**
   * Run in place of the artifact's command, as that is given. Such a program is not kept ready for another start, and one that
   * an earlier server left is ended and never taken over.
   */
  readonly command?: readonly string[];
  /** The whole environment of the program apart from `PORT`, which the driver sets; nothing of the platform's own is added. */
  readonly env: Readonly<Record<string, string>>;
  /** The port the program is to listen on, also in `PORT`. A driver that can't give it a network of its own tells it another one. */
  readonly port: number;
  readonly memoryBytes: number;
  /** Thousandths of a CPU. */
  readonly cpuMillis: number;
  readonly mounts: readonly Mount[];
  readonly output: OutputSink;
}

/** How an instance ended. Exactly one of `exitCode` and `signal` is set. */
export interface InstanceExit {
  readonly exitCode: number | null;
  /** e.g. `SIGKILL`. */
  readonly signal: string | null;
  /** The memory limit ended it. */
  readonly isOutOfMemory: boolean;
  /** `stop` was called, and is why it ended: not so when somebody else killed it meanwhile. */
  readonly isRequested: boolean;
}

export interface InstanceStats {
  /** CPU time used since the start, all of its processes. */
  readonly cpuMs: number;
  /** Resident memory now, all of its processes. */
  readonly memoryBytes: number;
}

/** One running copy of a revision. */
export interface Instance {
  readonly instanceId: InstanceId;
  /** Where the gateway reaches it. Stable for the instance's life; nothing listens there until the program does. */
  readonly address: { readonly host: string; readonly port: number };
  /** The port that its program was told in `PORT`. Another one than the address's where something passes connections on. */
  readonly port: number;
  /** Settles once, when all of it has ended and its output was handed over. Never rejects. */
  readonly exited: Promise<InstanceExit>;
  /**
   * SIGTERM to all of it, SIGKILL `graceMs` later (10,000 by default), then removal of its folder.
   * Idempotent: every call answers the same exit.
   */
  stop(options?: { readonly graceMs?: number }): Promise<InstanceExit>;
  stats(): Promise<InstanceStats>;
  /** TCP ports any of its processes listens on now: what tells "listens elsewhere" from "never listens". */
  listeningPorts(): Promise<readonly number[]>;
  /** Those of them that are open only to itself: on 127.0.0.1 of a network of its own. Absent where that is the gateway's, too. */
  loopbackPorts?(): Promise<readonly number[]>;
  /**
   * Whether one of its own processes listens at its address. Where this is absent, nobody else can: an accepted connection
   * proves it. The gateway asks after a connection was accepted, and takes the instance as ready only then.
   */
  isListening?(): Promise<boolean>;
  /** Freezes it: no CPU until {@link resume}. Only where `canSuspend`. */
  suspend?(): Promise<void>;
  /**
   * Lets it continue. When something outside ended it while it was frozen, `exited` settles before this does, so that nobody sends
   * a request to a program that is about to end.
   */
  resume?(): Promise<void>;
}

/** One thing a machine can or can't enforce or build, for `berth doctor` and the line printed at the start. */
export interface Capability {
  /** e.g. `sandbox`, `memory-limit`, `cpu-limit`, `user-isolation`, `network-isolation`. */
  readonly id: string;
  readonly title: string;
  readonly status: 'enforced' | 'partial' | 'missing';
  /** What that means for the services of this machine, in a sentence. */
  readonly detail: string;
  /** How to get what is missing; absent when enforced. */
  readonly remedy?: string;
}

/**
 * Starts and stops instances on one kind of engine. Drivers never retry and never restart: the gateway decides.
 * No instance outlives its runtime, however the process that holds it dies, unless the driver can hand it on.
 */
export interface Runtime {
  /** `process`, `docker`, `kubernetes`. */
  readonly name: string;
  readonly canSuspend: boolean;
  /** Where instances may have volumes. Constant; {@link start} refuses a mount anywhere else. */
  readonly mountPolicy: MountPolicy;
  /**
   * Starts an instance; resolves when its program was executed, not when it listens.
   * @throws BerthError `start_failed` when it can't be executed (no such command, not executable) or a volume can't be mounted.
   * @throws BerthError `out_of_capacity` when the machine has no room for it.
   */
  start(spec: InstanceSpec, options?: { readonly signal?: AbortSignal }): Promise<Instance>;
  capabilities(): Promise<readonly Capability[]>;
  /** Removes what is kept for an owner besides its artifacts (user id, scratch). Called when its deployment is deleted. */
  forget(owner: Owner): Promise<void>;
  /** Stops every instance (grace as in {@link Instance.stop}) and frees all it holds. Idempotent. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
