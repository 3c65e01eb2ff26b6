/** What instances take of a machine, and what it has of it. */
export interface Capacity {
  readonly memoryBytes: number;
  readonly cpuMillis: number;
}

export const NO_CAPACITY: Capacity = { memoryBytes: 0, cpuMillis: 0 };

export function plus(one: Capacity, other: Capacity): Capacity {
  return { memoryBytes: one.memoryBytes + other.memoryBytes, cpuMillis: one.cpuMillis + other.cpuMillis };
}

export function minus(one: Capacity, other: Capacity): Capacity {
  return { memoryBytes: one.memoryBytes - other.memoryBytes, cpuMillis: one.cpuMillis - other.cpuMillis };
}

export function fitsInto(need: Capacity, capacity: Capacity): boolean {
  return need.memoryBytes <= capacity.memoryBytes && need.cpuMillis <= capacity.cpuMillis;
}

/** How many of `need` fit. */
export function timesIn(need: Capacity, capacity: Capacity): number {
  const byCpu = need.cpuMillis === 0 ? Number.POSITIVE_INFINITY : capacity.cpuMillis / need.cpuMillis;
  return Math.max(0, Math.floor(Math.min(capacity.memoryBytes / need.memoryBytes, byCpu)));
}

/** The larger of the shares of memory and CPU: what counts where one kind runs out before the other (dominant resource fairness). */
export function shareOf(part: Capacity, whole: Capacity): number {
  return Math.max(part.memoryBytes / whole.memoryBytes, part.cpuMillis / whole.cpuMillis);
}
