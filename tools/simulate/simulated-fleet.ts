/** An instance in the simulation. */
export interface SimulatedInstance {
  readonly requestedAtMs: number;
  inFlight: number;
  idleSinceMs: number;
}

/** The instances of one simulated service, by what they can do. */
export class SimulatedFleet {
  readonly #ready: SimulatedInstance[] = [];
  readonly #starting = new Set<SimulatedInstance>();
  readonly #stopping = new Set<SimulatedInstance>();

  /** Those that take requests, oldest first. */
  get ready(): readonly SimulatedInstance[] {
    return this.#ready;
  }

  get starting(): number {
    return this.#starting.size;
  }

  get serving(): number {
    return this.#ready.length + this.#starting.size;
  }

  get size(): number {
    return this.serving + this.#stopping.size;
  }

  /** Ready ones that serve nothing, longest idle first. */
  get idle(): SimulatedInstance[] {
    return this.#ready.filter(({ inFlight }) => inFlight === 0).sort((a, b) => a.idleSinceMs - b.idleSinceMs);
  }

  /** All that exist. */
  *all(): Generator<SimulatedInstance> {
    yield* this.#ready;
    yield* this.#starting;
    yield* this.#stopping;
  }

  /** Age of the oldest start while nothing is ready; else 0. */
  coldStartAgeMs(nowMs: number): number {
    let ageMs = 0;
    if (this.#ready.length > 0) return ageMs;
    for (const { requestedAtMs } of this.#starting) ageMs = Math.max(ageMs, nowMs - requestedAtMs);
    return ageMs;
  }

  start(nowMs: number): SimulatedInstance {
    const instance = { requestedAtMs: nowMs, inFlight: 0, idleSinceMs: nowMs };
    this.#starting.add(instance);
    return instance;
  }

  setReady(instance: SimulatedInstance, nowMs: number): void {
    this.#starting.delete(instance);
    instance.idleSinceMs = nowMs;
    this.#ready.push(instance);
  }

  setStopping(instance: SimulatedInstance): void {
    this.#ready.splice(this.#ready.indexOf(instance), 1);
    this.#stopping.add(instance);
  }

  remove(instance: SimulatedInstance): void {
    this.#starting.delete(instance);
    this.#stopping.delete(instance);
  }
}
