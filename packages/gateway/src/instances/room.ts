/** What instances take of a machine, and what it has of it. */
export interface Room {
  readonly memoryBytes: number;
  readonly cpuMillis: number;
}

export const NO_ROOM: Room = { memoryBytes: 0, cpuMillis: 0 };

export function plus(one: Room, other: Room): Room {
  return { memoryBytes: one.memoryBytes + other.memoryBytes, cpuMillis: one.cpuMillis + other.cpuMillis };
}

export function minus(one: Room, other: Room): Room {
  return { memoryBytes: one.memoryBytes - other.memoryBytes, cpuMillis: one.cpuMillis - other.cpuMillis };
}

export function fitsInto(need: Room, room: Room): boolean {
  return need.memoryBytes <= room.memoryBytes && need.cpuMillis <= room.cpuMillis;
}

/** How many of `need` fit. */
export function timesIn(need: Room, room: Room): number {
  const byCpu = need.cpuMillis === 0 ? Number.POSITIVE_INFINITY : room.cpuMillis / need.cpuMillis;
  return Math.max(0, Math.floor(Math.min(room.memoryBytes / need.memoryBytes, byCpu)));
}

/** The larger of the shares of memory and CPU: what counts where one kind runs out before the other (dominant resource fairness). */
export function shareOf(part: Room, whole: Room): number {
  return Math.max(part.memoryBytes / whole.memoryBytes, part.cpuMillis / whole.cpuMillis);
}
