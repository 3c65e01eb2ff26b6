/** An amount of memory and CPU. */
export interface Capacity {
  readonly memoryBytes: number;
  readonly cpuMillis: number;
}

/** No memory and no CPU. */
export const NO_CAPACITY: Capacity = { memoryBytes: 0, cpuMillis: 0 };

/** Returns the sum. */
export function plus(one: Capacity, other: Capacity): Capacity {
  return { memoryBytes: one.memoryBytes + other.memoryBytes, cpuMillis: one.cpuMillis + other.cpuMillis };
}

/** Returns the difference. */
export function minus(one: Capacity, other: Capacity): Capacity {
  return { memoryBytes: one.memoryBytes - other.memoryBytes, cpuMillis: one.cpuMillis - other.cpuMillis };
}

/** Returns whether `need` is at most the capacity, in memory and in CPU. */
export function fitsInto(need: Capacity, capacity: Capacity): boolean {
  return need.memoryBytes <= capacity.memoryBytes && need.cpuMillis <= capacity.cpuMillis;
}

/** Returns how many times `need` fits. */
export function timesIn(need: Capacity, capacity: Capacity): number {
  const byCpu = need.cpuMillis === 0 ? Number.POSITIVE_INFINITY : capacity.cpuMillis / need.cpuMillis;
  return Math.max(0, Math.floor(Math.min(capacity.memoryBytes / need.memoryBytes, byCpu)));
}

/** Returns the larger of the shares of memory and CPU (dominant resource fairness). */
export function shareOf(part: Capacity, whole: Capacity): number {
  return Math.max(part.memoryBytes / whole.memoryBytes, part.cpuMillis / whole.cpuMillis);
}
