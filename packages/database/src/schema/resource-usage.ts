/** What the instances of a deployment used in a minute; of the last week. */
export interface ResourceUsageTable {
  readonly account_id: string;
  /** Name of the deployment; it may be gone since. */
  readonly deployment: string;
  /** When it begins; epoch milliseconds, wall clock, a whole minute. */
  readonly minute: number;
  /** Of one CPU, all instances together. */
  cpu_ms: number;
  /** How long instances ran, each counted. */
  instance_ms: number;
  /** Memory of each instance times how long it ran: divided by `instance_ms` it is the mean of an instance. */
  memory_byte_ms: number;
  /** The most that one instance was seen with. */
  memory_max_bytes: number;
  /** The most instances that were measured within ten seconds. */
  instances: number;
}

export interface ResourceUsageSchema {
  resource_usage: ResourceUsageTable;
}
