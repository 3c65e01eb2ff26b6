import type { ServingInstance, Tunnel } from '../instances/serving-instance.ts';
import type { Upstream } from '../port/upstream.ts';
import type { WaitAges } from './worker-messages.ts';

/** An instance as a worker knows it: by the slots it was granted of `Pool`. */
export class LeasedInstance<Pool = unknown> implements ServingInstance {
  readonly id: string;
  readonly affinityKey: string;
  readonly upstream: Upstream;
  readonly tunnels = new Set<Tunnel>();
  /** The core's name for it. */
  readonly number: number;
  readonly pool: Pool;
  scheduledAtMs: number | null = null;
  spawnedAtMs: number | null = null;
  readyAtMs: number | null = null;
  resumedAtMs: number | null = null;
  /** It takes nothing more, until it is granted again: its slots go back as they come free. */
  isOut = false;
  /** Slots that requests use now. */
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

  /** Notes when the steps were that a request waited for. */
  setTimes(ages: WaitAges, nowMs: number): void {
    this.scheduledAtMs = nowMs - ages.scheduledMs;
    this.spawnedAtMs = nowMs - ages.spawnedMs;
    this.readyAtMs = nowMs - ages.readyMs;
    this.resumedAtMs = ages.resumedMs === undefined ? null : nowMs - ages.resumedMs;
  }

  breakOff(): void {
    this.isOut = true;
    this.upstream.destroy();
    for (const tunnel of [...this.tunnels]) tunnel.destroy();
  }
}
