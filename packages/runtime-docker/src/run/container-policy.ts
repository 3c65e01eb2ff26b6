/** What the operator decided for all containers. */
export interface ContainerPolicy {
  readonly serverId: string;
  /** Processes and threads of an instance. */
  readonly maxProcesses: number;
  /** The root file system is read-only; only `/tmp` and volumes can be written. */
  readonly isRootReadOnly: boolean;
  /** An OCI runtime of the engine, such as `runsc`; its default unless given. */
  readonly ociRuntime: string | undefined;
  /** Bytes a container may write to its root file system, where the storage driver holds that; undefined where not. */
  readonly rootBytes: number | undefined;
  /** The engine can put an init process before the program. */
  readonly hasInit: boolean;
}
