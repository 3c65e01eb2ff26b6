/** Resources that a deployment's instances used in one minute; kept for a week. */
export interface ResourceUsageTable {
  readonly account_id: string;
  /** Name of the deployment; it may have been deleted since. */
  readonly deployment: string;
  /** Start of the minute. */
  readonly minute: number;
  /** CPU time of all instances. */
  cpu_ms: number;
  /** Running time of all instances. */
  instance_ms: number;
  /** Memory of each instance times its running time; divided by `instance_ms`, the mean per instance. */
  memory_byte_ms: number;
  /** Maximum memory seen of one instance. */
  memory_max_bytes: number;
  /** Maximum number of instances measured within ten seconds. */
  instances: number;
}
