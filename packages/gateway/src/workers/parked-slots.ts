/** What a slot is of. */
interface SlotOwner {
  readonly affinityKey: string;
}

/**
 * Slots without a request, kept for the next one. The one parked last is taken first, so that those which are not needed grow old
 * and can be given back.
 */
export class ParkedSlots<Instance extends SlotOwner> {
  /** Of the same length, oldest first. */
  #instances: Instance[] = [];
  #sinceMs: number[] = [];

  get size(): number {
    return this.#instances.length;
  }

  /** When the oldest was parked; infinite when there is none. */
  get oldestMs(): number {
    return this.#sinceMs[0] ?? Number.POSITIVE_INFINITY;
  }

  /** @param nowMs not before that of any earlier call. */
  park(instance: Instance, nowMs: number): void {
    this.#instances.push(instance);
    this.#sinceMs.push(nowMs);
  }

  /** Takes one for a request; with an affinity, only of the instance it names. */
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

  /** Takes all out that `isWanted` holds for, and hands each instance over once: with how many they were and when the last was parked. */
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
