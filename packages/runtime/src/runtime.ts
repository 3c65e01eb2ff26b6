import type { MountPolicy } from '@berth/contract';
import type { InstanceId } from '@berth/kit';
import type { Artifact } from './artifact.ts';
import type { ConnectSpec, InstanceConnection } from './connect.ts';
import type { ExecProcess, ExecSpec } from './exec.ts';
import type { OutputSink } from './output-sink.ts';

/** The unit of isolation: a deployment of an account. Two owners never share a user id, a folder or a sandbox. */
export interface Owner {
  readonly account: string;
  readonly deployment: string;
}

/** An existing folder of a volume. Each driver knows where its machines have the volumes. */
export interface VolumeFolder {
  /** Path of the volume below the place of all volumes: `<account>/<storage id>`. */
  readonly volume: string;
  /** Path below the volume's root; empty for the root. Services that mount the volume can replace its components at any moment. */
  readonly subPath: string;
}

/** A volume's folder that an instance sees. */
export interface Mount extends VolumeFolder {
  /** The mount path that the tenant chose. Drivers that don't give each instance its own file system mount nothing there. */
  readonly target: string;
  readonly isReadOnly: boolean;
}

/** Everything that a driver needs to start an instance. */
export interface InstanceSpec {
  readonly instanceId: InstanceId;
  readonly owner: Owner;
  readonly revision: string;
  readonly artifact: Artifact;
  /**
   * Replaces the artifact's command, in the same form. No standby is made for such a program, and a program that an earlier server
   * left running is ended, never adopted.
   */
  readonly command?: readonly string[];
  /** The program's environment apart from `PORT`, which the driver sets. Variables of the platform aren't passed on. */
  readonly env: Readonly<Record<string, string>>;
  /** The port for the program to listen on, passed in `PORT`. A driver without a network for each instance chooses another port. */
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
  /** The instance exceeded its memory limit. */
  readonly isOutOfMemory: boolean;
  /** The instance ended because of `stop`. False when something else killed it during `stop`. */
  readonly isRequested: boolean;
  /** Why the machines ended it: a clause about it without a full stop, e.g. `its node went away`. Absent when its program ended by itself. */
  readonly reason?: string;
}

/** Resource usage of all processes of an instance. */
export interface InstanceStats {
  /** CPU time used since the start. */
  readonly cpuMs: number;
  /** Current resident memory. */
  readonly memoryBytes: number;
}

/** One running copy of a revision. */
export interface Instance {
  readonly instanceId: InstanceId;
  /** The address for the gateway. It stays the same for the instance's life; nothing listens there until the program does. */
  readonly address: { readonly host: string; readonly port: number };
  /** The port that the program received in `PORT`. It differs from the address's port where connections are forwarded. */
  readonly port: number;
  /** Resolves when all processes have ended and all output was delivered. Never rejects. */
  readonly exited: Promise<InstanceExit>;
  /**
   * Resolves when the machines will soon end the instance by themselves, as when its node is drained. Its requests may finish in the
   * meantime. Absent where that doesn't happen.
   */
  readonly evicted?: Promise<void>;
  /**
   * Sends SIGTERM to all processes, SIGKILL after `graceMs` (default 10,000), and then removes the instance's folder.
   * Idempotent: every call resolves with the same exit.
   */
  stop(options?: { readonly graceMs?: number }): Promise<InstanceExit>;
  /** Forgets the instance without stopping it, for another process that adopts it. Absent where only this process can have it. */
  release?(): void;
  /** Returns the current resource usage. */
  stats(): Promise<InstanceStats>;
  /** Returns the TCP ports that its processes listen on now, which tells "listens on another port" from "never listens". */
  listeningPorts(): Promise<readonly number[]>;
  /** Returns the listening ports that only the instance can reach: on the loopback of its own network. Absent when it shares the gateway's. */
  loopbackPorts?(): Promise<readonly number[]>;
  /**
   * Returns whether one of its own processes listens at its address. The gateway asks after a connection was accepted, and only then
   * regards the instance as ready. Absent where no other program can listen there, so that an accepted connection is proof enough.
   */
  isListening?(): Promise<boolean>;
  /** Freezes the instance, which gets no CPU until {@link resume}. Only where `canSuspend`. */
  suspend?(): Promise<void>;
  /**
   * Lets the instance continue. If it was killed while frozen, `exited` resolves before this does, so that no request is sent to a
   * program that is about to end.
   */
  resume?(): Promise<void>;
}

/** A protection or feature that the machine may offer, for `berth doctor` and the line printed at the start. */
export interface Capability {
  /** e.g. `sandbox`, `memory-limit`, `cpu-limit`, `user-isolation`, `network-isolation`. */
  readonly id: string;
  readonly title: string;
  readonly status: 'enforced' | 'partial' | 'missing';
  /** The effect on the services of this machine, in one sentence. */
  readonly detail: string;
  /** How to get the missing part; absent when `enforced`. */
  readonly remedy?: string;
}

/** Options of {@link Runtime.prepare}. */
export interface PrepareOptions {
  readonly signal: AbortSignal;
  /** Called with what the owner should know about a long preparation: a sentence without a full stop. */
  onNotice(message: string): void;
}

/**
 * Starts and stops instances on one kind of engine. Drivers never retry or restart; that is the gateway's decision.
 * No instance outlives its runtime, however the runtime's process dies, unless the driver can adopt it later.
 */
export interface Runtime {
  /** `process`, `docker`, `kubernetes`. */
  readonly name: string;
  readonly canSuspend: boolean;
  /** The mount paths that volumes may have. Constant; {@link start} refuses any other. */
  readonly mountPolicy: MountPolicy;
  /**
   * True when a collector on the instances' machines reads their output: {@link InstanceSpec.output} gets only that of a spec with `command`.
   */
  readonly isOutputCollected?: boolean;
  /**
   * Brings an artifact to this machine. Called before each start, and before capacity is reserved for it. Absent when all artifacts are
   * here.
   * @throws BerthError `start_failed` when the artifact can't be fetched, `out_of_capacity` when the disk is full; the signal's reason.
   */
  prepare?(artifact: Artifact, options: PrepareOptions): Promise<void>;
  /**
   * Starts an instance. Resolves when its program was executed, not when it listens.
   * @throws BerthError `start_failed` when the program can't be executed (no such command, not executable) or a volume can't be mounted.
   * @throws BerthError `out_of_capacity` when the machine has no room for it.
   */
  start(spec: InstanceSpec, options?: { readonly signal?: AbortSignal }): Promise<Instance>;
  /**
   * Runs a command inside a running instance of the owner, with the instance's environment, files, network and limits, and never with
   * more rights than its program has.
   * @throws BerthError `not_found` when this runtime has no such instance, `start_failed` when the command can't be executed.
   */
  exec(owner: Owner, instanceId: InstanceId, spec: ExecSpec): Promise<ExecProcess>;
  /**
   * Connects to a TCP port of a running instance of the owner: on its loopback where the driver can enter its network, otherwise on its
   * address. Never to a port of this machine or of another instance.
   * @throws BerthError `not_found` when this runtime has no such instance, `port_not_open` when nothing of it accepts the connection,
   * `not_available` where instances share this machine's network.
   */
  connect(owner: Owner, instanceId: InstanceId, spec: ConnectSpec): Promise<InstanceConnection>;
  /**
   * Returns the ids of running instances of a revision that no process has, which {@link start} adopts when a spec has such an id. Absent where
   * no instance outlives its process, or {@link start} adopts by itself.
   */
  survivors?(owner: Owner, revision: string): readonly InstanceId[];
  /** Returns the protections of this machine, each enforced, partial or missing. */
  capabilities(): Promise<readonly Capability[]>;
  /** Deletes the owner's state apart from artifacts (user id, scratch). Called when the deployment is deleted. */
  forget(owner: Owner): Promise<void>;
  /** Stops every instance (grace as in {@link Instance.stop}) and frees all resources. Idempotent. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
