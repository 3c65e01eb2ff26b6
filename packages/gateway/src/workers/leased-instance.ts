import type { ServingInstance, Tunnel } from '../instances/serving-instance.ts';
import type { Upstream } from '../port/upstream.ts';
import type { WaitAges } from './worker-messages.ts';

/** An instance of which a worker was granted slots. */
export class LeasedInstance<Pool = unknown> implements ServingInstance {
  readonly id: string;
  readonly affinityKey: string;
  readonly upstream: Upstream;
  readonly tunnels = new Set<Tunnel>();
  /** The core's number for this instance. */
  number: number;
  pool: Pool;
  scheduledAtMs: number | null = null;
  spawnedAtMs: number | null = null;
  readyAtMs: number | null = null;
  resumedAtMs: number | null = null;
  /** Takes no new requests until the next grant; free slots are returned instead of parked. */
  isOut = false;
  /** Slots in use by requests. */
  inUse = 0;

  constructor(
    given: { readonly number: number; readonly id: string; readonly affinityKey: string },
    pool: Pool,
    upstream: Upstream,
  ) {
    this.number = given.number;
    this.id = given.id;
    this.affinityKey = given.affinityKey;
    this.pool = pool;
    this.upstream = upstream;
  }

  /** Sets the times of the start or resume that a request waited for. */
  setTimes(ages: WaitAges, nowMs: number): void {
    this.scheduledAtMs = nowMs - ages.scheduledMs;
    this.spawnedAtMs = nowMs - ages.spawnedMs;
    this.readyAtMs = nowMs - ages.readyMs;
    this.resumedAtMs = ages.resumedMs === undefined ? null : nowMs - ages.resumedMs;
  }

  /** Takes the number and pool of another core, which counts its slots from now on. */
  rebind(number: number, pool: Pool): void {
    this.number = number;
    this.pool = pool;
    this.isOut = false;
  }

  /** Breaks off all connections to the instance. */
  breakOff(): void {
    this.isOut = true;
    this.upstream.destroy();
    for (const tunnel of [...this.tunnels]) tunnel.destroy();
  }
}
