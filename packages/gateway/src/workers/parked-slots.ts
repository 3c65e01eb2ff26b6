/** The instance that a slot belongs to. */
interface SlotOwner {
  readonly affinityKey: string;
}

/**
 * Free slots that are kept for the next request. The slot parked last is taken first, so that surplus slots grow old and can be
 * returned.
 */
export class ParkedSlots<Instance extends SlotOwner> {
  /** Parallel arrays, oldest slot first. */
  #instances: Instance[] = [];
  #sinceMs: number[] = [];

  get size(): number {
    return this.#instances.length;
  }

  /** When the oldest slot was parked; infinite when there is none. */
  get oldestMs(): number {
    return this.#sinceMs[0] ?? Number.POSITIVE_INFINITY;
  }

  /** Parks a slot. @param nowMs must not decrease from call to call. */
  park(instance: Instance, nowMs: number): void {
    this.#instances.push(instance);
    this.#sinceMs.push(nowMs);
  }

  /** Takes a slot for a request, with an affinity key only a slot of that instance. Returns undefined when there is none. */
  take(affinityKey: string | undefined): Instance | undefined {
    if (affinityKey === undefined) {
      this.#sinceMs.pop();
      return this.#instances.pop();
    }
    const at = this.#instances.findLastIndex((instance) => instance.affinityKey === affinityKey);
    if (at < 0) return undefined;
    this.#sinceMs.splice(at, 1);
    return this.#instances.splice(at, 1)[0];
  }

  /** Removes all slots that `isWanted` accepts, and calls `give` once for each instance, with the count and when the last was parked. */
  drain(
    isWanted: (instance: Instance, sinceMs: number) => boolean,
    give: (instance: Instance, count: number, usedUntilMs: number) => void,
  ): void {
    const taken = new Map<Instance, { count: number; usedUntilMs: number }>();
    const instances: Instance[] = [];
    const since: number[] = [];
    for (const [index, instance] of this.#instances.entries()) {
      const sinceMs = this.#sinceMs[index] ?? 0;
      if (isWanted(instance, sinceMs)) {
        taken.set(instance, { count: (taken.get(instance)?.count ?? 0) + 1, usedUntilMs: sinceMs });
      } else {
        instances.push(instance);
        since.push(sinceMs);
      }
    }
    this.#instances = instances;
    this.#sinceMs = since;
    for (const [instance, { count, usedUntilMs }] of taken) give(instance, count, usedUntilMs);
  }
}
