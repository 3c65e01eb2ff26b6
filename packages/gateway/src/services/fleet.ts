import type { ServiceInstance } from '../instances/service-instance.ts';

/** Requests that waited for the adoption of instances don't show how many are needed. For this time they are served by those. */
const SETTLE_MS = 2_000;

/**
 * The instances of a revision by state; its pool keeps this up to date. The oldest ready instances, up to `minInstances`, are kept: they
 * are always billable, as if they served requests, so that keeping instances has a price.
 */
export class Fleet {
  readonly #all = new Set<ServiceInstance>();
  readonly #ready: ServiceInstance[] = [];
  readonly #byAffinityKey = new Map<string, ServiceInstance>();
  #minInstances = 0;
  #settledAtMs = Number.NEGATIVE_INFINITY;

  /** The number of instances to keep. */
  get minInstances(): number {
    return this.#minInstances;
  }

  /** The number of instances in any state, which max_instances bounds. */
  get size(): number {
    return this.#all.size;
  }

  get all(): Iterable<ServiceInstance> {
    return this.#all;
  }

  /** The instances that take requests, oldest first. */
  get ready(): readonly ServiceInstance[] {
    return this.#ready;
  }

  /** The number of instances that serve or soon will: starting, ready, unready or resuming. */
  get serving(): number {
    let count = 0;
    for (const { state } of this.#all) {
      if (state === 'starting' || state === 'ready' || state === 'unready' || state === 'resuming') count++;
    }
    return count;
  }

  get suspended(): ServiceInstance[] {
    return [...this.#all].filter((instance) => instance.state === 'suspended');
  }

  /** Ready instances that serve nothing, aren't kept or held and didn't say that they are busy; longest idle first. */
  get idle(): ServiceInstance[] {
    return this.#ready
      .filter((instance) => instance.inFlight === 0 && instance.holds === 0 && !instance.isKept && !instance.isBusy)
      .sort((a, b) => a.idleSinceMs - b.idleSinceMs);
  }

  /** The number of instances, in any state, that said that they are busy. */
  get busy(): number {
    let count = 0;
    for (const { isBusy } of this.#all) if (isBusy) count++;
    return count;
  }

  /** Returns the age of the oldest start while no instance is ready; else 0. */
  coldStartAgeMs(nowMs: number): number {
    let ageMs = 0;
    if (this.#ready.length > 0) return ageMs;
    for (const { state, requestedAtMs } of this.#all) {
      if (state === 'starting') ageMs = Math.max(ageMs, nowMs - requestedAtMs);
    }
    return ageMs;
  }

  /** Returns how many of the `needed` instances to have now: after an adoption no more than there are. */
  wanted(needed: number, nowMs: number): number {
    return nowMs < this.#settledAtMs && this.serving > 0 ? Math.min(needed, this.serving) : needed;
  }

  /** Returns the ready instance that an affinity cookie names. */
  findByAffinityKey(key: string): ServiceInstance | undefined {
    return this.#byAffinityKey.get(key);
  }

  add(instance: ServiceInstance): void {
    this.#all.add(instance);
    if (instance.reason === 'adopted') this.#settledAtMs = instance.requestedAtMs + SETTLE_MS;
  }

  keep(minInstances: number, nowMs: number): void {
    this.#minInstances = minInstances;
    this.#keepOldest(nowMs);
  }

  addReady(instance: ServiceInstance, nowMs: number): void {
    this.#ready.push(instance);
    this.#ready.sort((a, b) => (a.readyAtMs ?? 0) - (b.readyAtMs ?? 0));
    if (instance.affinityKey !== '') this.#byAffinityKey.set(instance.affinityKey, instance);
    this.#keepOldest(nowMs);
  }

  removeReady(instance: ServiceInstance, nowMs: number): void {
    const index = this.#ready.indexOf(instance);
    if (index >= 0) this.#ready.splice(index, 1);
    this.#byAffinityKey.delete(instance.affinityKey);
    setKept(instance, false, nowMs);
    this.#keepOldest(nowMs);
  }

  remove(instance: ServiceInstance): void {
    this.#all.delete(instance);
  }

  #keepOldest(nowMs: number): void {
    for (const [index, instance] of this.#ready.entries()) setKept(instance, index < this.#minInstances, nowMs);
  }
}

function setKept(instance: ServiceInstance, isKept: boolean, nowMs: number): void {
  if (instance.isKept === isKept) return;
  instance.isKept = isKept;
  instance.settleBilling(nowMs);
}
