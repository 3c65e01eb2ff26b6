/** The operator's settings for all containers. */
export interface ContainerPolicy {
  readonly serverId: string;
  /** Maximum processes and threads of an instance. */
  readonly maxProcesses: number;
  /** The root file system is read-only; only `/tmp` and volumes can be written. */
  readonly isRootReadOnly: boolean;
  /** An OCI runtime of the engine, such as `runsc`. Undefined: the engine's default. */
  readonly ociRuntime: string | undefined;
  /** Maximum bytes that a container may write to its root file system. Undefined when the storage driver can't enforce it. */
  readonly rootBytes: number | undefined;
  /** The engine can run an init process in containers. */
  readonly hasInit: boolean;
}
